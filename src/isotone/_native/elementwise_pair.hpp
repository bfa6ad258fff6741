// An activation at x and at -x together, with the bits of plain_value, but with one exponential where the two have it
// in common.
#pragma once

#include "elementwise.hpp"

namespace isotone::ISOTONE_LEVEL {

template <class V>
struct Pair {
    V plus, minus;
};

// f gives a pair for every lane, computed in double and rounded once.
template <class F>
[[gnu::always_inline]] inline Pair<Floats> pair_once(Floats x, F f) {
    const Pair<Doubles> low = f(widen(low_half(x))), high = f(widen(high_half(x)));
    return {join(narrow(low.plus), narrow(high.plus)), join(narrow(low.minus), narrow(high.minus))};
}
template <class F>
[[gnu::always_inline]] inline Pair<Doubles> pair_once(Doubles x, F f) {
    return f(x);
}

[[gnu::always_inline]] inline Pair<Doubles> sigmoid_pair(Doubles x) {
    const Doubles one = splat<Doubles>(1.0), e = exp_of(-magnitude(x)), below = e + 1.0;
    const Doubles high = one / below, low = e / below;
    return {x >= 0.0 ? high : low, -x >= 0.0 ? high : low};
}

[[gnu::always_inline]] inline Pair<Doubles> softplus_pair(Doubles x) {
    const Doubles zero{}, tail = log1p_of(exp_of(-magnitude(x)));
    return {max(x, zero) + tail, max(-x, zero) + tail};
}

// What is linear above zero, as elu.
template <Kind kind, class V>
[[gnu::always_inline]] inline Pair<V> linear_pair(V x, const Setting<V>& p) {
    const V zero{}, low = plain_value<kind>(-magnitude(x), p);
    const V rise = splat<V>(static_cast<Scalar<V>>(kind == Kind::selu ? selu_scale : 1.0));
    return {x >= zero ? x * rise : low, -x >= zero ? -x * rise : low};
}

template <Kind kind, class V>
[[gnu::always_inline]] inline Pair<V> plain_pair(V x, const Setting<V>& p) {
    if constexpr (kind == Kind::tanh || kind == Kind::softsign) {
        const V y = plain_value<kind>(x, p);
        return {y, -y};
    } else if constexpr (kind == Kind::sigmoid) {
        return pair_once(x, sigmoid_pair);
    } else if constexpr (kind == Kind::softplus) {
        return pair_once(x, softplus_pair);
    } else if constexpr (kind == Kind::logsigmoid) {
        const Pair<V> y = pair_once(x, softplus_pair);
        return {-y.minus, -y.plus};
    } else if constexpr (kind == Kind::elu || kind == Kind::selu || kind == Kind::celu) {
        return linear_pair<kind>(x, p);
    } else {
        return {plain_value<kind>(x, p), plain_value<kind>(-x, p)};
    }
}

}  // namespace isotone::ISOTONE_LEVEL
