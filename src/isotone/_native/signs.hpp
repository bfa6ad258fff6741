// Choosing by the sign bit of a weight, and broadcasts and roots that cost one instruction.
#pragma once

#include <cmath>

#include "lanes.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace isotone::ISOTONE_LEVEL {

// How many vectors the registers hold.
constexpr int vector_registers = vector_bytes == 64 ? 32 : 16;

// x - 0 is x for every x, so that this is a broadcast and nothing else; 0 + x would turn -0 into 0.
template <class V>
[[gnu::always_inline]] inline V all(Scalar<V> value) {
    return value - V{};
}

// Which lanes of a vector of weights have the sign bit, in the form that choosing is quickest with.
#if defined(__AVX512F__)
template <class V> struct SignsOf;
template <> struct SignsOf<Floats> { using type = __mmask16; };
template <> struct SignsOf<Doubles> { using type = __mmask8; };
template <class V> using Signs = typename SignsOf<V>::type;

[[gnu::always_inline]] inline __mmask16 signs(Floats w) { return _mm512_movepi32_mask(reinterpret_cast<__m512i>(w)); }
[[gnu::always_inline]] inline __mmask8 signs(Doubles w) { return _mm512_movepi64_mask(reinterpret_cast<__m512i>(w)); }
[[gnu::always_inline]] inline Floats choose(__mmask16 negative, Floats plus, Floats minus) {
    return _mm512_mask_blend_ps(negative, plus, minus);
}
[[gnu::always_inline]] inline Doubles choose(__mmask8 negative, Doubles plus, Doubles minus) {
    return _mm512_mask_blend_pd(negative, plus, minus);
}
#elif defined(__AVX2__)
template <class V> using Signs = V;

template <class V>
[[gnu::always_inline]] inline V signs(V w) {
    return w;
}
[[gnu::always_inline]] inline Floats choose(Floats negative, Floats plus, Floats minus) {
    return _mm256_blendv_ps(plus, minus, negative);
}
[[gnu::always_inline]] inline Doubles choose(Doubles negative, Doubles plus, Doubles minus) {
    return _mm256_blendv_pd(plus, minus, negative);
}
#else
template <class V> using Signs = BitsOf<V>;

template <class V>
[[gnu::always_inline]] inline BitsOf<V> signs(V w) {
    return bits(w) >> (8 * static_cast<int>(sizeof(Scalar<V>)) - 1);
}
template <class B, class V>
[[gnu::always_inline]] inline V choose(B negative, V plus, V minus) {
    return from_bits((bits(plus) & ~negative) | (bits(minus) & negative));
}
#endif

// The same in whole vectors, of which there are more than of mask registers where a kernel holds many at once.
template <class V>
[[gnu::always_inline]] inline BitsOf<V> spread_signs(V w) {
    return bits(w) >> (8 * static_cast<int>(sizeof(Scalar<V>)) - 1);
}
template <class V>
[[gnu::always_inline]] inline V choose_spread(BitsOf<V> negative, V plus, V minus) {
#if defined(__AVX512F__)
    // 0xCA: the second where the first has a bit, else the third
    return reinterpret_cast<V>(_mm512_ternarylogic_epi32(reinterpret_cast<__m512i>(negative),
                                                         reinterpret_cast<__m512i>(minus),
                                                         reinterpret_cast<__m512i>(plus), 0xCA));
#elif defined(__AVX2__)
    return choose(reinterpret_cast<V>(negative), plus, minus);
#else
    return choose(negative, plus, minus);
#endif
}

// w where it has no sign bit and 0 elsewhere; and the other way round.
template <class V>
[[gnu::always_inline]] inline V positive_part(V w) {
    return choose(signs(w), w, V{});
}
template <class V>
[[gnu::always_inline]] inline V negative_part(V w) {
    return choose(signs(w), V{}, w);
}

// a * b + c. Training promises agreement, not bits, between levels, so a CPU without the instruction rounds twice.
[[gnu::always_inline]] inline Floats multiply_add(Floats a, Floats b, Floats c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#else
    return a * b + c;
#endif
}
[[gnu::always_inline]] inline Doubles multiply_add(Doubles a, Doubles b, Doubles c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_pd(a, b, c);
#else
    return a * b + c;
#endif
}

template <class V>
[[gnu::always_inline]] inline V root(V x) {
#if defined(__AVX512F__)
    if constexpr (sizeof(Scalar<V>) == 4) return _mm512_maskz_sqrt_ps(0xFFFF, x);
    else return _mm512_maskz_sqrt_pd(0xFF, x);
#elif defined(__AVX2__)
    if constexpr (sizeof(Scalar<V>) == 4) return _mm256_sqrt_ps(x);
    else return _mm256_sqrt_pd(x);
#else
    V y;
    for (int lane = 0; lane < lanes<Scalar<V>>; ++lane) y[lane] = std::sqrt(x[lane]);
    return y;
#endif
}

}  // namespace isotone::ISOTONE_LEVEL
