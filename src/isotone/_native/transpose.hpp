// Squares of lanes x lanes numbers, transposed in registers.
#pragma once

#include <utility>

#include "lanes.hpp"

namespace isotone::ISOTONE_LEVEL {

// Swaps the off-diagonal blocks of side `s` between two rows that are `s` apart.
template <int s, class V, int... lane>
[[gnu::always_inline]] inline void swap_blocks(V& upper, V& lower, std::integer_sequence<int, lane...>) {
    constexpr int n = sizeof...(lane);
    const V a = upper, b = lower;
    upper = __builtin_shufflevector(a, b, ((lane & s) ? n + lane - s : lane)...);
    lower = __builtin_shufflevector(a, b, ((lane & s) ? n + lane : lane + s)...);
}

template <int s, class V, int n>
[[gnu::always_inline]] inline void swap_all_blocks(V (&row)[n]) {
    for (int i = 0; i < n; ++i)
        if (!(i & s)) swap_blocks<s>(row[i], row[i + s], std::make_integer_sequence<int, n>{});
    if constexpr (s > 1) swap_all_blocks<s / 2>(row);
}

// to[k][j] = from[j][k] for a square of lanes x lanes.
template <class T>
[[gnu::always_inline]] inline void transpose_square(const T* from, int from_stride, T* to, int to_stride) {
    using V = Lanes<T>;
    V row[lanes<T>];
    for (int i = 0; i < lanes<T>; ++i) row[i] = load<V>(from + i * from_stride);
    swap_all_blocks<lanes<T> / 2>(row);
    for (int i = 0; i < lanes<T>; ++i) store(to + i * to_stride, row[i]);
}

// to[k][j] = from[j][k] for `rows` x `columns` numbers; whole squares in registers, the rest one by one.
template <class T>
void transpose(const T* from, int from_stride, int rows, int columns, T* to, int to_stride) {
    const int whole_rows = rows / lanes<T> * lanes<T>, whole_columns = columns / lanes<T> * lanes<T>;
    for (int j = 0; j < whole_rows; j += lanes<T>)
        for (int k = 0; k < whole_columns; k += lanes<T>)
            transpose_square(from + j * from_stride + k, from_stride, to + k * to_stride + j, to_stride);
    for (int j = 0; j < rows; ++j)
        for (int k = j < whole_rows ? whole_columns : 0; k < columns; ++k) to[k * to_stride + j] = from[j * from_stride + k];
}

}  // namespace isotone::ISOTONE_LEVEL
