// Portable vectors by the compiler's vector extension; the level's compile flags choose their width.
// Every header between lanes.hpp and level.hpp is compiled once per level, in that level's namespace.
#pragma once

#include <cstdint>
#include <cstring>

#ifndef ISOTONE_LEVEL
#error "lanes.hpp is compiled by a level_*.cpp, which names its level"
#endif

namespace isotone::ISOTONE_LEVEL {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
constexpr int float_lanes = vector_bytes / 4;
constexpr int double_lanes = vector_bytes / 8;

typedef float Floats __attribute__((vector_size(vector_bytes)));
typedef double Doubles __attribute__((vector_size(vector_bytes)));
typedef float HalfFloats __attribute__((vector_size(vector_bytes / 2)));
typedef std::int32_t Ints __attribute__((vector_size(vector_bytes)));
typedef std::int32_t HalfInts __attribute__((vector_size(vector_bytes / 2)));
typedef std::int64_t Longs __attribute__((vector_size(vector_bytes)));

template <class T> struct LanesOf;
template <> struct LanesOf<float> { using type = Floats; };
template <> struct LanesOf<double> { using type = Doubles; };
// The vector of as many T as a register holds.
template <class T> using Lanes = typename LanesOf<T>::type;
template <class T> constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

template <class V> struct ScalarOf;
template <> struct ScalarOf<Floats> { using type = float; using Bits = Ints; };
template <> struct ScalarOf<Doubles> { using type = double; using Bits = Longs; };
template <class V> using Scalar = typename ScalarOf<V>::type;
template <class V> using BitsOf = typename ScalarOf<V>::Bits;

// Memory needs no alignment; a 64-byte aligned buffer is faster.
template <class V, class T>
[[gnu::always_inline]] inline V load(const T* from) {
    V value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class V, class T>
[[gnu::always_inline]] inline void store(T* to, V value) {
    std::memcpy(to, &value, sizeof value);
}

template <class V>
[[gnu::always_inline]] inline V splat(Scalar<V> value) {
    // subtracting zero changes nothing, -0 neither, so the compiler leaves it out
    return value - V{};
}

// Integer lanes with the bits of v, and back.
template <class V>
[[gnu::always_inline]] inline BitsOf<V> bits(V value) {
    return reinterpret_cast<BitsOf<V>>(value);
}
[[gnu::always_inline]] inline Floats from_bits(Ints value) { return reinterpret_cast<Floats>(value); }
[[gnu::always_inline]] inline Doubles from_bits(Longs value) { return reinterpret_cast<Doubles>(value); }

// Of equal values, as -0 and +0, min and max return the second.
template <class V>
[[gnu::always_inline]] inline V min(V a, V b) {
    return a < b ? a : b;
}
template <class V>
[[gnu::always_inline]] inline V max(V a, V b) {
    return a > b ? a : b;
}
template <class V>
[[gnu::always_inline]] inline V magnitude(V value) {
    return from_bits(bits(value) & ~bits(-V{}));
}
// The magnitude of the first with the sign of the second.
template <class V>
[[gnu::always_inline]] inline V with_sign(V value, V sign) {
    return from_bits(bits(magnitude(value)) | (bits(sign) & bits(-V{})));
}

[[gnu::always_inline]] inline Doubles widen(HalfFloats value) { return __builtin_convertvector(value, Doubles); }
// Rounds to nearest, ties to even.
[[gnu::always_inline]] inline HalfFloats narrow(Doubles value) { return __builtin_convertvector(value, HalfFloats); }

#if defined(__AVX512F__)
[[gnu::always_inline]] inline HalfFloats low_half(Floats v) {
    return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
}
[[gnu::always_inline]] inline HalfFloats high_half(Floats v) {
    return __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
}
[[gnu::always_inline]] inline Floats join(HalfFloats low, HalfFloats high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
#elif defined(__AVX2__)
[[gnu::always_inline]] inline HalfFloats low_half(Floats v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3); }
[[gnu::always_inline]] inline HalfFloats high_half(Floats v) { return __builtin_shufflevector(v, v, 4, 5, 6, 7); }
[[gnu::always_inline]] inline Floats join(HalfFloats low, HalfFloats high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
#else
[[gnu::always_inline]] inline HalfFloats low_half(Floats v) { return __builtin_shufflevector(v, v, 0, 1); }
[[gnu::always_inline]] inline HalfFloats high_half(Floats v) { return __builtin_shufflevector(v, v, 2, 3); }
[[gnu::always_inline]] inline Floats join(HalfFloats low, HalfFloats high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}
#endif

// f of every lane, computed in double and rounded once.
template <class F>
[[gnu::always_inline]] inline Floats once(Floats x, F f) {
    return join(narrow(f(widen(low_half(x)))), narrow(f(widen(high_half(x)))));
}
template <class F>
[[gnu::always_inline]] inline Doubles once(Doubles x, F f) {
    return f(x);
}

}  // namespace isotone::ISOTONE_LEVEL
