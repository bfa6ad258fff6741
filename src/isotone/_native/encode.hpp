// Columns to features, in double and rounded once. Every step is a rounded operation that never decreases in x,
// so each feature never decreases in its column.
#pragma once

#include <limits>

#include "gather.hpp"
#include "lanes.hpp"
#include "network.hpp"
#include "transpose.hpp"

namespace isotone::ISOTONE_LEVEL {

// More inner knots than this are searched by halving.
constexpr int scanned_knots = 32;

[[gnu::always_inline]] inline Doubles clamped(Doubles value, Doubles low, Doubles high) {
    return max(min(value, high), low);
}

// As many numbers as a vector of doubles has lanes.
[[gnu::always_inline]] inline Doubles read(const float* from) { return widen(load<HalfFloats>(from)); }
[[gnu::always_inline]] inline Doubles read(const double* from) { return load<Doubles>(from); }
[[gnu::always_inline]] inline void write(float* to, Doubles value) { store(to, narrow(value)); }
[[gnu::always_inline]] inline void write(double* to, Doubles value) { store(to, value); }

template <class Bits>
[[gnu::always_inline]] inline bool any(Bits mask) {
    std::int64_t words[vector_bytes / 8], found = 0;
    std::memcpy(words, &mask, sizeof words);
    for (const std::int64_t word : words) found |= word;
    return found != 0;
}

// Turns rows into lines, a line per column; the rows after the last repeat it.
template <class X>
inline void read_columns(const X* x, int columns, int rows, int padded, X* raw) {
    const int whole = columns < lanes<X> ? 0 : rows / lanes<X> * lanes<X>;
    for (int r = 0; r < whole; r += lanes<X>)
        for (int c = 0; c < columns; c += lanes<X>) {
            // the last square overlaps the one before it
            const int first = c + lanes<X> <= columns ? c : columns - lanes<X>;
            transpose_square(x + r * columns + first, columns, raw + first * block_rows + r, block_rows);
        }
    for (int r = whole; r < rows; ++r)
        for (int c = 0; c < columns; ++c) raw[c * block_rows + r] = x[r * columns + c];
    for (int c = 0; c < columns; ++c)
        for (int r = rows; r < padded; ++r) raw[c * block_rows + r] = raw[c * block_rows + rows - 1];
}

// Whether every value is finite, or NaN where a value may be missing.
template <class X>
inline bool readable(const Encoding& encoding, const X* raw, int padded) {
    using V = Lanes<X>;
    const V infinity = splat<V>(std::numeric_limits<X>::infinity());
    BitsOf<V> wrong{};
    if (encoding.missing)
        for (int r = 0; r < padded; r += lanes<X>) wrong |= magnitude(load<V>(raw + r)) == infinity;
    else
        for (int r = 0; r < padded; r += lanes<X>) wrong |= ~(magnitude(load<V>(raw + r)) < infinity);
    return !any(wrong);
}

template <class T, class X>
inline void encode_line(const Encoding& encoding, const X* raw, int padded, T* feature) {
    const Doubles first = splat<Doubles>(encoding.knots[0]), rate = splat<Doubles>(encoding.rates[0]);
    const Doubles bound = splat<Doubles>(input_bound);
    for (int r = 0; r < padded; r += double_lanes) {
        const Doubles x = read(raw + r), value = clamped((x - first) * rate, -bound, bound);
        write(feature + r, encoding.missing ? (x == x ? value : Doubles{}) : value);
    }
}

// The segment of every value: how many inner knots are at or below it. NaN is in the first.
[[gnu::always_inline]] inline Longs segment_of(const Encoding& encoding, Doubles x) {
    const int inner = static_cast<int>(encoding.knots.size()) - 2;
    const double* knots = encoding.knots.data() + 1;
    Longs below{};
    if (inner <= scanned_knots) {
        for (int k = 0; k < inner; ++k) below = x >= splat<Doubles>(knots[k]) ? below + 1 : below;
        return below;
    }
    for (int left = inner; left > 0; left /= 2) {
        const std::int64_t half = (left + 1) / 2;
        below += (x >= gather(knots, below + (half - 1))) & half;
    }
    return below;
}

// How far x has come through its segment: within [0, 1], but beyond the ends of the first and the last.
[[gnu::always_inline]] inline Doubles fraction_of(const Encoding& encoding, Doubles x, Longs segment) {
    const auto last = static_cast<std::int64_t>(encoding.rates.size()) - 1;
    const Doubles bound = splat<Doubles>(input_bound), one = splat<Doubles>(1.0);
    const Doubles come = (x - gather(encoding.knots.data(), segment)) * gather(encoding.rates.data(), segment);
    return clamped(come, segment == 0 ? -bound : Doubles{}, segment == last ? bound : one);
}

// The line through (knots, levels), continued at both ends; missing values are zero.
template <class T, class X>
inline void encode_levels(const Encoding& encoding, const X* raw, int padded, T* feature) {
    const auto last = static_cast<std::int64_t>(encoding.rates.size()) - 1;
    const Doubles bound = splat<Doubles>(input_bound);
    for (int r = 0; r < padded; r += double_lanes) {
        const Doubles x = read(raw + r);
        const Longs i = segment_of(encoding, x);
        const double* levels = encoding.levels.data();
        const Doubles come = fraction_of(encoding, x, i) * gather(encoding.rises.data(), i);
        const Doubles high = i == last ? bound : gather(levels + 1, i);
        const Doubles value = clamped(min(gather(levels, i) + come, high), -bound, bound);
        write(feature + r, x == x ? value : Doubles{});
    }
}

// A segment and a fraction; a missing value reads the line of zeros after the last segment.
template <class T, class X>
inline void encode_expanded(const Encoding& encoding, const X* raw, int padded, std::int32_t* index, T* feature) {
    const auto segments = static_cast<std::int64_t>(encoding.rates.size());
    for (int r = 0; r < padded; r += double_lanes) {
        const Doubles x = read(raw + r);
        const Longs i = segment_of(encoding, x), present = x == x;
        const Doubles fraction = fraction_of(encoding, x, i);
        write(feature + r, present ? fraction : Doubles{});
        store(index + r, __builtin_convertvector(present ? i : Longs{} + segments, HalfInts));
    }
}

// Codes to indices; false if a value is no code.
template <class T, class X>
inline bool encode_codes(const Encoding& encoding, const X* raw, int padded, std::int32_t* index, T* feature) {
    const Doubles size = splat<Doubles>(static_cast<double>(encoding.size));
    Longs wrong{};
    for (int r = 0; r < padded; r += double_lanes) {
        const Doubles x = read(raw + r);
        const Longs within = (x >= Doubles{}) & (x < size);
        const HalfInts code = __builtin_convertvector(within ? x : Doubles{}, HalfInts);
        wrong |= ~within | (__builtin_convertvector(code, Doubles) != x);
        store(index + r, code);
        write(feature + r, Doubles{});
    }
    return !any(wrong);
}

template <class T, class X>
inline bool encode_column(const Encoding& encoding, const X* raw, int padded, std::int32_t* index, T* feature) {
    if (encoding.categorical) return encode_codes(encoding, raw, padded, index, feature);
    if (!readable(encoding, raw, padded)) return false;
    if (!encoding.levels.empty()) encode_levels(encoding, raw, padded, feature);
    else if (encoding.table) encode_expanded(encoding, raw, padded, index, feature);
    else encode_line(encoding, raw, padded, feature);
    return true;
}

}  // namespace isotone::ISOTONE_LEVEL
