// The choice between two vectors by the sign of a weight that stands in every lane.
#pragma once

#include "lanes.hpp"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace isotone::ISOTONE_LEVEL {

template <class V>
struct SignChoice {
    BitsOf<V> negative;

    [[gnu::always_inline]] explicit SignChoice(V weight) : negative(bits(weight) < 0) {}
    [[gnu::always_inline]] V operator()(V plus, V minus) const {
        return from_bits((bits(minus) & negative) | (bits(plus) & ~negative));
    }
};

#if defined(__AVX512F__)
template <>
struct SignChoice<Floats> {
    __mmask16 negative;

    [[gnu::always_inline]] explicit SignChoice(Floats weight)
        : negative(_mm512_movepi32_mask(_mm512_castps_si512(weight))) {}
    [[gnu::always_inline]] Floats operator()(Floats plus, Floats minus) const {
        return _mm512_mask_blend_ps(negative, plus, minus);
    }
};
#elif defined(__AVX__)
template <>
struct SignChoice<Floats> {
    Floats weight;

    [[gnu::always_inline]] explicit SignChoice(Floats of) : weight(of) {}
    [[gnu::always_inline]] Floats operator()(Floats plus, Floats minus) const {
        return _mm256_blendv_ps(plus, minus, weight);
    }
};
#endif

}  // namespace isotone::ISOTONE_LEVEL
