// Value and slope of every activation at m and at -m together, for m >= 0: most need one exponential for the two.
#pragma once

#include "elementwise.hpp"
#include "transcendental.hpp"

namespace isotone::ISOTONE_LEVEL {

template <class V>
struct Point {
    V value, slope;
};

// `high` is at m, `low` at -m. At m = 0 both have the slope from the right, as the definition has.
template <class V>
struct Sides {
    Point<V> high, low;
};

// The slope of the low side, but `right` where m is 0.
template <class V>
[[gnu::always_inline]] inline V kinked(V m, V right, V slope) {
    return m == V{} ? right : slope;
}

// What is made of 1 / (1 + e^-m).
template <Kind kind, class V>
[[gnu::always_inline]] inline Sides<V> logistic_sides(V m) {
    const V one = all<V>(1), e = grow(-m).exp, q = one / (one + e), p = e * q;
    if constexpr (kind == Kind::sigmoid) return {{q, p * q}, {p, p * q}};
    else if constexpr (kind == Kind::silu) return {{m * q, q * (one + m * p)}, {-m * p, p * (one - m * q)}};
    const V tail = log_above_one(e);
    if constexpr (kind == Kind::softplus) return {{m + tail, q}, {tail, p}};
    else return {{-tail, p}, {-(m + tail), q}};
}

// What is linear above 0 and an exponential of depth `depth` below, times `scale`.
template <class V>
[[gnu::always_inline]] inline Sides<V> exponential_sides(V m, V inverse_width, V depth, V scale, bool smooth) {
    const Grown<V> g = grow(-m * inverse_width);
    const V slope = scale * depth * inverse_width * g.exp;
    return {{scale * m, scale}, {scale * depth * g.expm1, smooth ? slope : kinked(m, scale, slope)}};
}

template <class V>
[[gnu::always_inline]] inline Sides<V> tanh_sides(V m) {
    const V two = all<V>(2);
    const Grown<V> g = grow(-(m + m));
    const V q = all<V>(1) / (two + g.expm1), t = -g.expm1 * q, slope = two * two * g.exp * q * q;
    return {{t, slope}, {-t, slope}};
}

template <class V>
[[gnu::always_inline]] inline Sides<V> normal_sides(V m) {
    using T = Scalar<V>;
    const V below = once(-m, normal_below), above = all<V>(1) - below;
    const V density = all<V>(T(0x1.9884533d43651p-2)) * grow(m * m * T(-0.5)).exp;
    return {{m * above, above + m * density}, {-m * below, below - m * density}};
}

template <class V>
[[gnu::always_inline]] inline Sides<V> exp_sides(V m) {
    const V ceiling = all<V>(Scalar<V>(exp_activation_ceiling)), high = grow(min(m, ceiling)).exp, low = grow(-m).exp;
    return {{high, m < ceiling ? high : V{}}, {low, low}};
}

// The unreflected activation at m and -m.
template <Kind kind, class V>
[[gnu::always_inline]] inline Sides<V> plain_sides(V m, const Setting<V>& p) {
    using T = Scalar<V>;
    const V zero{}, one = all<V>(1);
    if constexpr (kind == Kind::relu) return {{m, one}, {zero, kinked(m, one, zero)}};
    else if constexpr (kind == Kind::leaky_relu) return {{m, one}, {-p.first * m, kinked(m, one, p.first)}};
    else if constexpr (kind == Kind::relu6) {
        const V six = all<V>(6);
        return {{min(m, six), m < six ? one : zero}, {zero, kinked(m, one, zero)}};
    } else if constexpr (kind == Kind::elu) return exponential_sides(m, one, p.first, one, false);
    else if constexpr (kind == Kind::selu)
        return exponential_sides(m, one, all<V>(T(selu_alpha)), all<V>(T(selu_scale)), false);
    else if constexpr (kind == Kind::celu) return exponential_sides(m, one / p.first, p.first, one, true);
    else if constexpr (kind == Kind::gelu) return normal_sides(m);
    else if constexpr (kind == Kind::tanh) return tanh_sides(m);
    else if constexpr (kind == Kind::exp) return exp_sides(m);
    else if constexpr (kind == Kind::softsign) {
        const V q = one / (one + m);
        return {{m * q, q * q}, {-m * q, q * q}};
    } else if constexpr (kind == Kind::sigmoid || kind == Kind::silu || kind == Kind::softplus ||
                         kind == Kind::logsigmoid)
        return logistic_sides<kind>(m);
    else return {{plain_value<kind>(m, p), plain_slope<kind>(m, p)}, {plain_value<kind>(-m, p), plain_slope<kind>(-m, p)}};
}

// s or its reflection -s(-x) at z (`high`) and at -z (`low`).
template <Kind kind, bool reflected, class V>
[[gnu::always_inline]] inline Sides<V> sides(V z, const Setting<V>& p) {
    Sides<V> at = plain_sides<kind>(magnitude(z), p);
    if constexpr (reflected) at = {{-at.low.value, at.low.slope}, {-at.high.value, at.high.slope}};
    const Signs<V> negative = signs(z);
    return {{choose(negative, at.high.value, at.low.value), choose(negative, at.high.slope, at.low.slope)},
            {choose(negative, at.low.value, at.high.value), choose(negative, at.low.slope, at.high.slope)}};
}

}  // namespace isotone::ISOTONE_LEVEL
