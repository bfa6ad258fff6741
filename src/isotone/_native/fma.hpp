// fused(a, b, c) = a * b + c with one rounding, the same bits at every level.
#pragma once

#include "lanes.hpp"

#if defined(__FMA__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace isotone::ISOTONE_LEVEL {

// The sum in double, rounded to odd: where it is inexact its last bit is set, so that rounding it once more, to
// float, gives what rounding the exact sum would.
[[gnu::always_inline]] inline Doubles sum_to_odd(Doubles a, Doubles b) {
    const Doubles sum = a + b;
    const Doubles part = sum - a;
    const Doubles error = (a - (sum - part)) + (b - part);
    const Longs inexact = error != Doubles{};
    const Longs even = (bits(sum) & 1) ^ 1;
    // towards the exact sum: one up in magnitude if error and sum have the same sign, else one down
    const Longs opposite = reinterpret_cast<Longs>((bits(error) ^ bits(sum)) >> 63);
    return from_bits(bits(sum) + (inexact & even & 1) * (1 + 2 * opposite));
}

// The product of two floats is exact in double.
[[gnu::always_inline]] inline HalfFloats fused_halves(HalfFloats a, HalfFloats b, HalfFloats c) {
    return narrow(sum_to_odd(widen(a) * widen(b), widen(c)));
}

[[gnu::always_inline]] inline Floats fused_in_double(Floats a, Floats b, Floats c) {
    return join(fused_halves(low_half(a), low_half(b), low_half(c)),
                fused_halves(high_half(a), high_half(b), high_half(c)));
}

[[gnu::always_inline]] inline Floats fused(Floats a, Floats b, Floats c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#elif defined(__ARM_NEON)
    return vfmaq_f32(c, a, b);
#else
    return fused_in_double(a, b, c);
#endif
}

// The float64 mode promises no bits, so a level without the instruction may round twice.
[[gnu::always_inline]] inline Doubles fused(Doubles a, Doubles b, Doubles c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_pd(a, b, c);
#elif defined(__ARM_NEON)
    return vfmaq_f64(c, a, b);
#else
    return a * b + c;
#endif
}

}  // namespace isotone::ISOTONE_LEVEL
