// A dense layer's outputs for a slab of rows, outputs in lanes. Every output is its start, then one multiply-add per
// input in ascending order, so its bits do not depend on the tiling.
#pragma once

#include "signs.hpp"
#include "training_kernels.hpp"

namespace isotone::ISOTONE_LEVEL {

// `start` is the bias (step 0) or what the tables gave (step: the row stride); a split layer has two of each.
template <class T>
struct DenseForward {
    const T* weights;  // [input][output]
    int inputs;
    int rows;
    const T* plus;
    const T* minus;
    int input_stride;
    const T* start;
    const T* start_minus;
    int start_step;
    T* out;
    T* out_minus;
    int output_stride;
};

// R rows by N vectors of outputs.
template <Reading reading, int R, int N, class T>
[[gnu::always_inline]] inline void forward_tile(const DenseForward<T>& f, int row, int column) {
    using V = Lanes<T>;
    constexpr bool split = reading == Reading::split;
    V sum[R][N], sum_minus[split ? R : 1][N];
    for (int r = 0; r < R; ++r)
        for (int n = 0; n < N; ++n) {
            const int at = (row + r) * f.start_step + column + n * lanes<T>;
            sum[r][n] = load<V>(f.start + at);
            if constexpr (split) sum_minus[r][n] = load<V>(f.start_minus + at);
        }
    const T* plus = f.plus + row * f.input_stride;
    const T* minus = f.minus + row * f.input_stride;
    const T* weights = f.weights + column;
    for (int k = 0; k < f.inputs; ++k, weights += f.output_stride) {
        V w[N];
        Signs<V> negative[N];
        for (int n = 0; n < N; ++n) w[n] = load<V>(weights + n * lanes<T>);
        for (int n = 0; n < N; ++n) negative[n] = signs(w[n]);
        for (int r = 0; r < R; ++r) {
            const V x = all<V>(plus[r * f.input_stride + k]);
            if constexpr (reading == Reading::switched) {
                const V y = all<V>(minus[r * f.input_stride + k]);
                for (int n = 0; n < N; ++n) sum[r][n] = multiply_add(w[n], choose(negative[n], x, y), sum[r][n]);
            } else if constexpr (split) {
                for (int n = 0; n < N; ++n) {
                    sum[r][n] = multiply_add(positive_part(w[n]), x, sum[r][n]);
                    sum_minus[r][n] = multiply_add(negative_part(w[n]), x, sum_minus[r][n]);
                }
            } else {
                for (int n = 0; n < N; ++n) sum[r][n] = multiply_add(w[n], x, sum[r][n]);
            }
        }
    }
    for (int r = 0; r < R; ++r)
        for (int n = 0; n < N; ++n) {
            const int at = (row + r) * f.output_stride + column + n * lanes<T>;
            store(f.out + at, sum[r][n]);
            if constexpr (split) store(f.out_minus + at, sum_minus[r][n]);
        }
}

template <Reading reading, int R, int N, class T>
void forward_columns(const DenseForward<T>& f, int column) {
    for (int row = 0; row < f.rows; row += R) forward_tile<reading, R, N>(f, row, column);
}

// Tiles keep 16 sums in 32 registers, or 8 in 16: few columns with many rows, or the other way round.
template <Reading reading, class T>
void dense_forward(const DenseForward<T>& f) {
    constexpr int sums = vector_registers / (reading == Reading::split ? 4 : 2);
    constexpr int rows = sums < row_tile ? sums : row_tile;
    int column = 0;
    if constexpr (sums == 16)
        for (; column + 4 * lanes<T> <= f.output_stride; column += 4 * lanes<T>)
            forward_columns<reading, 4, 4>(f, column);
    for (; column + 2 * lanes<T> <= f.output_stride; column += 2 * lanes<T>)
        forward_columns<reading, sums / 2, 2>(f, column);
    for (; column < f.output_stride; column += lanes<T>) forward_columns<reading, rows, 1>(f, column);
}

}  // namespace isotone::ISOTONE_LEVEL
