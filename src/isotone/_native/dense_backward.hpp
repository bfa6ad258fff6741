// A dense layer's gradients for a slab of rows: by its weights and by its inputs, inputs in lanes. Sums run over rows,
// or over outputs, in ascending order, one multiply-add each.
#pragma once

#include "signs.hpp"
#include "training_kernels.hpp"

namespace isotone::ISOTONE_LEVEL {

// `pull` is the loss's derivative by the layer's outputs; a split layer has one for each half.
template <class T>
struct DenseBackward {
    const T* weights;  // [output][input]
    int outputs;
    int rows;
    const T* plus;
    const T* minus;
    int input_stride;
    const T* pull;
    const T* pull_minus;
    int output_stride;
};

// J outputs by N vectors of inputs of the gradient by the weights.
template <Reading reading, int J, int N, class T>
[[gnu::always_inline]] inline void weight_tile(const DenseBackward<T>& b, int output, int column, T* gradient) {
    using V = Lanes<T>;
    V sum[J][N];
    BitsOf<V> negative[J][N];
    const T* weights = b.weights + output * b.input_stride + column;
    for (int j = 0; j < J; ++j)
        for (int n = 0; n < N; ++n) {
            sum[j][n] = V{};
            if constexpr (reading != Reading::affine)
                negative[j][n] = spread_signs(load<V>(weights + j * b.input_stride + n * lanes<T>));
        }
    for (int r = 0; r < b.rows; ++r) {
        V x[N], y[N];
        for (int n = 0; n < N; ++n) {
            x[n] = load<V>(b.plus + r * b.input_stride + column + n * lanes<T>);
            if constexpr (reading == Reading::switched)
                y[n] = load<V>(b.minus + r * b.input_stride + column + n * lanes<T>);
        }
        for (int j = 0; j < J; ++j) {
            const V pull = all<V>(b.pull[r * b.output_stride + output + j]);
            for (int n = 0; n < N; ++n) {
                if constexpr (reading == Reading::switched)
                    sum[j][n] = multiply_add(pull, choose_spread(negative[j][n], x[n], y[n]), sum[j][n]);
                else if constexpr (reading == Reading::split) {
                    const V other = all<V>(b.pull_minus[r * b.output_stride + output + j]);
                    sum[j][n] = multiply_add(choose_spread(negative[j][n], pull, other), x[n], sum[j][n]);
                } else
                    sum[j][n] = multiply_add(pull, x[n], sum[j][n]);
            }
        }
    }
    for (int j = 0; j < J; ++j)
        for (int n = 0; n < N; ++n)
            store(gradient + (output + j) * b.input_stride + column + n * lanes<T>, sum[j][n]);
}

template <Reading reading, int N, class T>
void weight_columns(const DenseBackward<T>& b, int column, T* gradient) {
    // as many sums as the registers hold beside their signs and the operands
    constexpr int full = (vector_registers - 8) / 2 / N;
    int output = 0;
    for (; output + full <= b.outputs; output += full) weight_tile<reading, full, N>(b, output, column, gradient);
    for (; output + 2 <= b.outputs; output += 2) weight_tile<reading, 2, N>(b, output, column, gradient);
    for (; output < b.outputs; ++output) weight_tile<reading, 1, N>(b, output, column, gradient);
}

// Writes the gradient by the dense weights, [output][input].
template <Reading reading, class T>
void weight_gradient(const DenseBackward<T>& b, T* gradient) {
    int column = 0;
    for (; column + 2 * lanes<T> <= b.input_stride; column += 2 * lanes<T>)
        weight_columns<reading, 2>(b, column, gradient);
    for (; column < b.input_stride; column += lanes<T>) weight_columns<reading, 1>(b, column, gradient);
}

// R rows by N vectors of the gradient by the inputs; `put(row, column, plus, minus)` takes the derivative by both
// sides of a switched layer, else by the input and nothing.
template <Reading reading, int R, int N, class T, class Put>
[[gnu::always_inline]] inline void input_tile(const DenseBackward<T>& b, int row, int column, Put put) {
    using V = Lanes<T>;
    constexpr bool both = reading == Reading::switched;
    V plus[R][N], minus[both ? R : 1][both ? N : 1];
    for (int r = 0; r < R; ++r)
        for (int n = 0; n < N; ++n) {
            plus[r][n] = V{};
            if constexpr (both) minus[r][n] = V{};
        }
    const T* weights = b.weights + column;
    for (int j = 0; j < b.outputs; ++j, weights += b.input_stride) {
        for (int n = 0; n < N; ++n) {
            const V w = load<V>(weights + n * lanes<T>);
            const V up = both ? positive_part(w) : w, down = both ? negative_part(w) : w;
            for (int r = 0; r < R; ++r) {
                const V pull = all<V>(b.pull[(row + r) * b.output_stride + j]);
                if constexpr (reading == Reading::split) {
                    const V other = all<V>(b.pull_minus[(row + r) * b.output_stride + j]);
                    plus[r][n] = multiply_add(w, choose(signs(w), pull, other), plus[r][n]);
                } else {
                    plus[r][n] = multiply_add(up, pull, plus[r][n]);
                    if constexpr (both) minus[r][n] = multiply_add(down, pull, minus[r][n]);
                }
            }
        }
    }
    // unrolled: a sum that an index in memory names would leave its register
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
        for (int n = 0; n < N; ++n) {
            if constexpr (both) put(row + r, column + n * lanes<T>, plus[r][n], minus[r][n]);
            else put(row + r, column + n * lanes<T>, plus[r][n], V{});
        }
}

template <Reading reading, int R, int N, class T, class Put>
void input_columns(const DenseBackward<T>& b, int column, Put put) {
    for (int row = 0; row < b.rows; row += R) input_tile<reading, R, N>(b, row, column, put);
}

// Calls `put` for every row and every vector of the first `width` inputs.
template <Reading reading, class T, class Put>
void input_gradient(const DenseBackward<T>& b, int width, Put put) {
    // 16 sums where there are 32 registers, else 8; a switched layer has two for each input
    constexpr int sums = vector_registers / (reading == Reading::switched ? 4 : 2);
    constexpr int rows = sums < row_tile ? sums : row_tile;
    int column = 0;
    for (; column + 2 * lanes<T> <= width; column += 2 * lanes<T>) input_columns<reading, sums / 2, 2>(b, column, put);
    for (; column < width; column += lanes<T>) input_columns<reading, rows, 1>(b, column, put);
}

// Writes the sum over rows of the derivative by the outputs: the gradient by the bias.
template <Reading reading, class T>
void bias_gradient(const DenseBackward<T>& b, T* gradient) {
    using V = Lanes<T>;
    for (int column = 0; column < b.output_stride; column += lanes<T>) {
        V sum{};
        for (int r = 0; r < b.rows; ++r) {
            const int at = r * b.output_stride + column;
            sum += load<V>(b.pull + at);
            if constexpr (reading == Reading::split) sum += load<V>(b.pull_minus + at);
        }
        store(gradient + column, sum);
    }
}

}  // namespace isotone::ISOTONE_LEVEL
