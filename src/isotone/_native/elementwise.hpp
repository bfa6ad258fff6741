// Every activation's value and slope on vectors of float or double. On floats, what is not a choice or a product is
// computed in double and rounded once; tests run it over all floats and see that it never decreases.
// A function with a parameter is a composition of checked ones, so it keeps order too (docs/arithmetic.md).
#pragma once

#include "exponential.hpp"
#include "lanes.hpp"
#include "plan.hpp"

namespace isotone::ISOTONE_LEVEL {

inline constexpr double selu_alpha = 1.6732632423543772;
inline constexpr double selu_scale = 1.0507009873554805;
inline constexpr double exp_activation_ceiling = 64.0;

// The functions without parameters, in double.
[[gnu::always_inline]] inline Doubles sigmoid_of(Doubles x) {
    const Doubles e = exp_of(-magnitude(x));
    return (x >= 0.0 ? splat<Doubles>(1.0) : e) / (e + 1.0);
}
[[gnu::always_inline]] inline Doubles sigmoid_slope(Doubles x) {
    const Doubles e = exp_of(-magnitude(x));
    return e / ((e + 1.0) * (e + 1.0));
}
[[gnu::always_inline]] inline Doubles tanh_of(Doubles x) {
    const Doubles t = expm1_of(-2.0 * magnitude(x));
    return with_sign(t / (t + 2.0), x);
}
[[gnu::always_inline]] inline Doubles softplus_of(Doubles x) {
    return max(x, Doubles{}) + log1p_of(exp_of(-magnitude(x)));
}
[[gnu::always_inline]] inline Doubles softsign_of(Doubles x) { return x / (magnitude(x) + 1.0); }
[[gnu::always_inline]] inline Doubles softsign_slope(Doubles x) {
    const Doubles below = magnitude(x) + 1.0;
    return 1.0 / (below * below);
}
[[gnu::always_inline]] inline Doubles exp_activation(Doubles x) {
    return exp_of(min(x, splat<Doubles>(exp_activation_ceiling)));
}

// An activation's parameters in the arithmetic of V, ready for the functions below.
template <class V>
struct Setting {
    V first{}, second{}, third{}, fourth{};

    explicit Setting(const Activation& activation) {
        const double* p = activation.parameters;
        first = splat<V>(static_cast<Scalar<V>>(p[0]));
        second = splat<V>(static_cast<Scalar<V>>(p[1]));
        third = splat<V>(static_cast<Scalar<V>>(p[2]));
        fourth = splat<V>(static_cast<Scalar<V>>(p[3]));
    }
};

// Value of the unreflected activation.
template <Kind kind, class V>
[[gnu::always_inline]] inline V plain_value(V x, const Setting<V>& p) {
    const V zero{};
    if constexpr (kind == Kind::relu) return max(x, zero);
    else if constexpr (kind == Kind::leaky_relu) return x >= zero ? x : p.first * x;
    else if constexpr (kind == Kind::relu6) return min(max(x, zero), splat<V>(6));
    else if constexpr (kind == Kind::elu) return x >= zero ? x : p.first * once(min(x, zero), expm1_of);
    else if constexpr (kind == Kind::selu) {
        const V below = once(min(x, zero), expm1_of) * static_cast<Scalar<V>>(selu_scale * selu_alpha);
        return x >= zero ? x * static_cast<Scalar<V>>(selu_scale) : below;
    } else if constexpr (kind == Kind::celu)
        return x >= zero ? x : p.first * once(min(x, zero) / p.first, expm1_of);
    else if constexpr (kind == Kind::gelu) return once(x, [](Doubles d) { return d * normal_below(d); });
    else if constexpr (kind == Kind::silu) return once(x, [](Doubles d) { return d * sigmoid_of(d); });
    else if constexpr (kind == Kind::sigmoid) return once(x, sigmoid_of);
    else if constexpr (kind == Kind::tanh) return once(x, tanh_of);
    else if constexpr (kind == Kind::exp) return once(x, exp_activation);
    else if constexpr (kind == Kind::softsign) return once(x, softsign_of);
    else if constexpr (kind == Kind::softplus) return once(x, softplus_of);
    else if constexpr (kind == Kind::logsigmoid) return -once(-x, softplus_of);
    else if constexpr (kind == Kind::srelu) {
        const V below = p.second * (x - p.first) + p.first, above = p.fourth * (x - p.third) + p.third;
        return x < p.first ? below : x > p.third ? above : x;
    } else if constexpr (kind == Kind::threshold) return x >= zero ? splat<V>(1) : zero;
    else return x;
}

// Derivative of the unreflected activation; at a kink the one from the right.
template <Kind kind, class V>
[[gnu::always_inline]] inline V plain_slope(V x, const Setting<V>& p) {
    const V zero{}, one = splat<V>(1);
    if constexpr (kind == Kind::relu) return x >= zero ? one : zero;
    else if constexpr (kind == Kind::leaky_relu) return x >= zero ? one : p.first;
    else if constexpr (kind == Kind::relu6) return x >= zero ? (x < splat<V>(6) ? one : zero) : zero;
    else if constexpr (kind == Kind::elu) return x >= zero ? one : p.first * once(min(x, zero), exp_of);
    else if constexpr (kind == Kind::selu) {
        const V below = once(min(x, zero), exp_of) * static_cast<Scalar<V>>(selu_scale * selu_alpha);
        return x >= zero ? splat<V>(static_cast<Scalar<V>>(selu_scale)) : below;
    } else if constexpr (kind == Kind::celu) return x >= zero ? one : once(min(x, zero) / p.first, exp_of);
    else if constexpr (kind == Kind::gelu)
        return once(x, [](Doubles d) { return normal_below(d) + d * normal_density(d); });
    else if constexpr (kind == Kind::silu)
        return once(x, [](Doubles d) { return sigmoid_of(d) * (1.0 + d * sigmoid_of(-d)); });
    else if constexpr (kind == Kind::sigmoid) return once(x, sigmoid_slope);
    else if constexpr (kind == Kind::tanh) return once(x, [](Doubles d) { return 4.0 * sigmoid_slope(2.0 * d); });
    else if constexpr (kind == Kind::exp)
        return x < splat<V>(static_cast<Scalar<V>>(exp_activation_ceiling)) ? once(x, exp_activation) : zero;
    else if constexpr (kind == Kind::softsign) return once(x, softsign_slope);
    else if constexpr (kind == Kind::softplus) return once(x, sigmoid_of);
    else if constexpr (kind == Kind::logsigmoid) return once(-x, sigmoid_of);
    else if constexpr (kind == Kind::srelu) return x < p.first ? p.second : x < p.third ? one : p.fourth;
    else if constexpr (kind == Kind::threshold) return zero;
    else return one;
}

// s(x), or -s(-x) if reflected.
template <Kind kind, bool reflected, class V>
[[gnu::always_inline]] inline V value(V x, const Setting<V>& p) {
    if constexpr (reflected) return -plain_value<kind>(-x, p);
    else return plain_value<kind>(x, p);
}

// s'(x), or s'(-x) if reflected.
template <Kind kind, bool reflected, class V>
[[gnu::always_inline]] inline V slope(V x, const Setting<V>& p) {
    return plain_slope<kind>(reflected ? -x : x, p);
}

template <Kind k>
struct KindConstant {
    static constexpr Kind kind = k;
};

// Calls f with the kind as a constant: visit(kind, [&](auto chosen) { value<chosen.kind, false>(x, p); }).
template <class F>
[[gnu::always_inline]] inline void visit(Kind kind, F&& f) {
    switch (kind) {
        case Kind::relu: return f(KindConstant<Kind::relu>{});
        case Kind::leaky_relu: return f(KindConstant<Kind::leaky_relu>{});
        case Kind::relu6: return f(KindConstant<Kind::relu6>{});
        case Kind::elu: return f(KindConstant<Kind::elu>{});
        case Kind::selu: return f(KindConstant<Kind::selu>{});
        case Kind::celu: return f(KindConstant<Kind::celu>{});
        case Kind::gelu: return f(KindConstant<Kind::gelu>{});
        case Kind::silu: return f(KindConstant<Kind::silu>{});
        case Kind::sigmoid: return f(KindConstant<Kind::sigmoid>{});
        case Kind::tanh: return f(KindConstant<Kind::tanh>{});
        case Kind::exp: return f(KindConstant<Kind::exp>{});
        case Kind::softsign: return f(KindConstant<Kind::softsign>{});
        case Kind::softplus: return f(KindConstant<Kind::softplus>{});
        case Kind::logsigmoid: return f(KindConstant<Kind::logsigmoid>{});
        case Kind::srelu: return f(KindConstant<Kind::srelu>{});
        case Kind::threshold: return f(KindConstant<Kind::threshold>{});
        case Kind::identity: return f(KindConstant<Kind::identity>{});
    }
}

}  // namespace isotone::ISOTONE_LEVEL
