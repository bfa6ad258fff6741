// The maps onto the non-negative numbers that constrained layers put their weights through, and their derivatives.
#pragma once

#include "exponential.hpp"
#include "lanes.hpp"
#include "plan.hpp"

namespace isotone::ISOTONE_LEVEL {

// exp may not overflow: a weight beyond this is read as this
inline constexpr double exp_weight_ceiling = 10.0;

template <class V>
[[gnu::always_inline]] inline V mapped(WeightMap map, V w) {
    switch (map) {
        case WeightMap::abs: return magnitude(w);
        case WeightMap::square: return w * w;
        case WeightMap::softplus:
            return max(w, V{}) + once(-magnitude(w), [](Doubles x) { return log1p_of(exp_of(x)); });
        case WeightMap::exp: return once(min(w, splat<V>(Scalar<V>(exp_weight_ceiling))), exp_of);
        case WeightMap::clamp: return max(w, V{});
    }
    return w;
}

template <class V>
[[gnu::always_inline]] inline V mapped_slope(WeightMap map, V w) {
    const V zero{}, one = splat<V>(1), ceiling = splat<V>(Scalar<V>(exp_weight_ceiling));
    switch (map) {
        case WeightMap::abs: return w > zero ? one : w < zero ? -one : zero;
        case WeightMap::square: return w + w;
        case WeightMap::softplus:
            return once(w, [](Doubles x) {
                const Doubles e = exp_of(-magnitude(x));
                return (x >= 0.0 ? splat<Doubles>(1.0) : e) / (e + 1.0);
            });
        case WeightMap::exp: return w < ceiling ? once(min(w, ceiling), exp_of) : zero;
        case WeightMap::clamp: return w > zero ? one : zero;
    }
    return one;
}

}  // namespace isotone::ISOTONE_LEVEL
