// Columns to features, in double and rounded once. Every step is a rounded operation that never decreases in x,
// so each feature never decreases in its column.
#pragma once

#include <limits>

#include "lanes.hpp"
#include "network.hpp"

namespace isotone::ISOTONE_LEVEL {

// More knots than this are searched by halving.
constexpr int scanned_knots = 32;

[[gnu::always_inline]] inline Doubles clamped(Doubles value, Doubles low, Doubles high) {
    return max(min(value, high), low);
}

[[gnu::always_inline]] inline void store_as(float* to, Doubles value) { store(to, narrow(value)); }
[[gnu::always_inline]] inline void store_as(double* to, Doubles value) { store(to, value); }

[[gnu::always_inline]] inline bool any(Longs mask) {
    std::int64_t found = 0;
    for (int i = 0; i < double_lanes; ++i) found |= mask[i];
    return found != 0;
}

// The values of one column for the rows of a block, read as double; the rows after the last repeat it.
template <class X>
inline void read_columns(const X* x, int columns, int rows, int padded, double* raw) {
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) raw[c * block_rows + r] = static_cast<double>(x[r * columns + c]);
    for (int c = 0; c < columns; ++c)
        for (int r = rows; r < padded; ++r) raw[c * block_rows + r] = raw[c * block_rows + rows - 1];
}

// Whether every value is finite, or NaN where a value may be missing.
inline bool readable(const Encoding& encoding, const double* raw, int padded) {
    const Doubles infinity = splat<Doubles>(std::numeric_limits<double>::infinity());
    Longs wrong{};
    for (int r = 0; r < padded; r += double_lanes) {
        const Doubles x = load<Doubles>(raw + r);
        wrong |= encoding.missing ? magnitude(x) == infinity : ~(magnitude(x) < infinity);
    }
    return !any(wrong);
}

template <class T>
inline void encode_line(const Encoding& encoding, const double* raw, int padded, T* feature) {
    const Doubles first = splat<Doubles>(encoding.knots[0]), rate = splat<Doubles>(encoding.rates[0]);
    const Doubles bound = splat<Doubles>(input_bound);
    for (int r = 0; r < padded; r += double_lanes) {
        const Doubles x = load<Doubles>(raw + r);
        const Doubles value = clamped((x - first) * rate, -bound, bound);
        store_as(feature + r, x == x ? value : Doubles{});
    }
}

// The segment of every value: how many inner knots are at or below it. NaN is in the first.
inline void find_segments(const Encoding& encoding, const double* raw, int padded, std::int32_t* index) {
    const int inner = static_cast<int>(encoding.knots.size()) - 2;
    const double* knots = encoding.knots.data() + 1;
    if (inner <= scanned_knots) {
        for (int r = 0; r < padded; r += double_lanes) {
            const Doubles x = load<Doubles>(raw + r);
            Longs count{};
            for (int k = 0; k < inner; ++k) count -= x >= splat<Doubles>(knots[k]);
            for (int i = 0; i < double_lanes; ++i) index[r + i] = static_cast<std::int32_t>(count[i]);
        }
        return;
    }
    for (int r = 0; r < padded; ++r) {
        int below = 0;
        for (int left = inner; left > 0; left /= 2) {
            const int half = (left + 1) / 2;
            if (raw[r] >= knots[below + half - 1]) below += half;
        }
        index[r] = below;
    }
}

// How far each value has come through its segment: within [0, 1], but beyond the ends of the first and the last.
inline void find_fractions(const Encoding& encoding, const double* raw, int padded, const std::int32_t* index,
                           double* fraction) {
    const int last = static_cast<int>(encoding.rates.size()) - 1;
    for (int r = 0; r < padded; ++r) {
        const int i = index[r];
        const double come = (raw[r] - encoding.knots[static_cast<std::size_t>(i)]) *
                            encoding.rates[static_cast<std::size_t>(i)];
        const double high = i == last ? input_bound : 1.0, low = i == 0 ? -input_bound : 0.0;
        const double below = come < high ? come : high;
        fraction[r] = below > low ? below : low;
    }
}

// The line through (knots, levels), continued at both ends; missing values are zero.
template <class T>
inline void encode_levels(const Encoding& encoding, const double* raw, int padded, const std::int32_t* index,
                          const double* fraction, T* feature) {
    const int last = static_cast<int>(encoding.rates.size()) - 1;
    for (int r = 0; r < padded; ++r) {
        const auto i = static_cast<std::size_t>(index[r]);
        double level = encoding.levels[i] + fraction[r] * encoding.rises[i];
        const double high = index[r] == last ? input_bound : encoding.levels[i + 1];
        level = level < high ? level : high;
        level = level < input_bound ? level : input_bound;
        level = level > -input_bound ? level : -input_bound;
        feature[r] = static_cast<T>(raw[r] == raw[r] ? level : 0.0);
    }
}

// A segment and a fraction; a missing value reads the line of zeros after the last segment.
template <class T>
inline void encode_expanded(const Encoding& encoding, const double* raw, int padded, std::int32_t* index,
                            const double* fraction, T* feature) {
    const int segments = static_cast<int>(encoding.rates.size());
    for (int r = 0; r < padded; ++r) {
        const bool present = raw[r] == raw[r];
        feature[r] = static_cast<T>(present ? fraction[r] : 0.0);
        index[r] = present ? index[r] : segments;
    }
}

// Codes to indices; false if a value is no code.
template <class T>
inline bool encode_codes(const Encoding& encoding, const double* raw, int padded, std::int32_t* index, T* feature) {
    bool fine = true;
    for (int r = 0; r < padded; ++r) {
        const bool within = raw[r] >= 0.0 && raw[r] < static_cast<double>(encoding.size);
        index[r] = within ? static_cast<std::int32_t>(raw[r]) : 0;
        fine = fine && within && static_cast<double>(index[r]) == raw[r];
        feature[r] = T(0);
    }
    return fine;
}

template <class T>
inline bool encode_column(const Encoding& encoding, const double* raw, int padded, std::int32_t* index, T* feature) {
    if (encoding.categorical) return encode_codes(encoding, raw, padded, index, feature);
    if (!readable(encoding, raw, padded)) return false;
    if (encoding.knots.size() == 2 && encoding.levels.empty()) {
        encode_line(encoding, raw, padded, feature);
        return true;
    }
    double fraction[block_rows];
    find_segments(encoding, raw, padded, index);
    find_fractions(encoding, raw, padded, index, fraction);
    if (encoding.levels.empty()) encode_expanded(encoding, raw, padded, index, fraction, feature);
    else encode_levels(encoding, raw, padded, index, fraction, feature);
    return true;
}

}  // namespace isotone::ISOTONE_LEVEL
