// The sums of a first layer with expanded or categorical columns, with units in lanes: every row reads the slope and
// the start of its own segment. Afterwards the sums are turned so that rows stand in lanes.
#pragma once

#include "fma.hpp"
#include "lanes.hpp"
#include "network.hpp"

namespace isotone::ISOTONE_LEVEL {

// Adds the columns in order to the units from `unit` on, for one row.
template <int vectors, class T>
[[gnu::always_inline]] inline void sum_columns(const TableLayer<T>& layer, int unit, const T* features,
                                               const std::int32_t* index, T* sums) {
    using V = Lanes<T>;
    V sum[vectors];
    for (int v = 0; v < vectors; ++v) sum[v] = load<V>(layer.bias.data() + unit + v * lanes<T>);
    for (const TableColumn& column : layer.columns) {
        const V value = splat<V>(features[column.feature * block_rows]);
        const T* line = layer.numbers.data() + column.start + unit;
        if (column.table) {
            line += 2 * layer.width * index[column.feature * block_rows];
            for (int v = 0; v < vectors; ++v) {
                const V start = load<V>(line + layer.width + v * lanes<T>);
                sum[v] = sum[v] + fused(load<V>(line + v * lanes<T>), value, start);
            }
        } else {
            for (int v = 0; v < vectors; ++v) sum[v] = fused(load<V>(line + v * lanes<T>), value, sum[v]);
        }
    }
    for (int v = 0; v < vectors; ++v) store(sums + v * lanes<T>, sum[v]);
}

template <class T>
inline void sum_row(const TableLayer<T>& layer, const T* features, const std::int32_t* index, T* sums) {
    int unit = 0;
    for (; unit + 4 * lanes<T> <= layer.width; unit += 4 * lanes<T>)
        sum_columns<4>(layer, unit, features, index, sums + unit);
    for (; unit + 2 * lanes<T> <= layer.width; unit += 2 * lanes<T>)
        sum_columns<2>(layer, unit, features, index, sums + unit);
    for (; unit < layer.width; unit += lanes<T>) sum_columns<1>(layer, unit, features, index, sums + unit);
}

typedef float Quad __attribute__((vector_size(16)));

// Turns four rows by four units.
[[gnu::always_inline]] inline void turn(const float* from, int width, float* to) {
    const Quad a = load<Quad>(from), b = load<Quad>(from + width), c = load<Quad>(from + 2 * width),
               d = load<Quad>(from + 3 * width);
    const Quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Quad ef = __builtin_shufflevector(a, b, 2, 6, 3, 7), gh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    store(to, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
    store(to + block_rows, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
    store(to + 2 * block_rows, __builtin_shufflevector(ef, gh, 0, 1, 4, 5));
    store(to + 3 * block_rows, __builtin_shufflevector(ef, gh, 2, 3, 6, 7));
}

[[gnu::always_inline]] inline void turn(const double* from, int width, double* to) {
    for (int r = 0; r < 4; ++r)
        for (int unit = 0; unit < 4; ++unit) to[unit * block_rows + r] = from[r * width + unit];
}

// `by_row` holds four rows of the layer's width; `sums` has a line for every unit of that width.
template <class T>
inline void form_table_sums(const TableLayer<T>& layer, int padded, const T* features, const std::int32_t* index,
                            T* by_row, T* sums) {
    for (int row = 0; row < padded; row += 4) {
        for (int r = 0; r < 4; ++r)
            sum_row(layer, features + row + r, index + row + r, by_row + r * layer.width);
        for (int unit = 0; unit < layer.outputs; unit += 4) turn(by_row + unit, layer.width, sums + unit * block_rows + row);
    }
}

}  // namespace isotone::ISOTONE_LEVEL
