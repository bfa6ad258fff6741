// Numbers of a table, one per lane.
#pragma once

#include "lanes.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace isotone::ISOTONE_LEVEL {

[[gnu::always_inline]] inline Doubles gather(const double* table, Longs index) {
#if defined(__AVX512F__)
    return _mm512_mask_i64gather_pd(Doubles{}, 0xFF, reinterpret_cast<__m512i>(index), table, 8);
#elif defined(__AVX2__)
    const __m256d every = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    return _mm256_mask_i64gather_pd(Doubles{}, table, reinterpret_cast<__m256i>(index), every, 8);
#else
    Doubles found{};
    for (int i = 0; i < double_lanes; ++i) found[i] = table[index[i]];
    return found;
#endif
}

}  // namespace isotone::ISOTONE_LEVEL
