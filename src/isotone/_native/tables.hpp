// The sums of a first layer with expanded or categorical columns, with units in lanes: every row reads the slope and
// the start of its own segment. Afterwards the sums are turned so that rows stand in lanes.
#pragma once

#include "fma.hpp"
#include "lanes.hpp"
#include "network.hpp"
#include "transpose.hpp"

namespace isotone::ISOTONE_LEVEL {

// Rows that are summed side by side, so that the processor has something to do while it adds.
template <class T>
constexpr int table_rows = lanes<T> < 4 ? lanes<T> : 4;

// Adds the columns in order to the units from `unit` on, for each of the rows.
template <int vectors, class T>
[[gnu::always_inline]] inline void sum_columns(const TableLayer<T>& layer, int unit, const T* features,
                                               const std::int32_t* index, T* sums) {
    using V = Lanes<T>;
    V sum[table_rows<T>][vectors];
    for (int r = 0; r < table_rows<T>; ++r)
        for (int v = 0; v < vectors; ++v) sum[r][v] = load<V>(layer.bias.data() + unit + v * lanes<T>);
    for (const TableColumn& column : layer.columns) {
        const T* value = features + column.feature * block_rows;
        const std::int32_t* segment = index + column.feature * block_rows;
        const T* numbers = layer.numbers.data() + column.start + unit;
        for (int r = 0; r < table_rows<T>; ++r) {
            const T* line = numbers + (column.table ? 2 * layer.width * segment[r] : 0);
            for (int v = 0; v < vectors; ++v) {
                const V slope = load<V>(line + v * lanes<T>), x = splat<V>(value[r]);
                if (column.table) sum[r][v] = sum[r][v] + fused(slope, x, load<V>(line + layer.width + v * lanes<T>));
                else sum[r][v] = fused(slope, x, sum[r][v]);
            }
        }
    }
    for (int r = 0; r < table_rows<T>; ++r)
        for (int v = 0; v < vectors; ++v) store(sums + r * layer.width + v * lanes<T>, sum[r][v]);
}

template <class T>
inline void sum_rows(const TableLayer<T>& layer, const T* features, const std::int32_t* index, T* sums) {
    int unit = 0;
    for (; unit + 2 * lanes<T> <= layer.width; unit += 2 * lanes<T>)
        sum_columns<2>(layer, unit, features, index, sums + unit);
    for (; unit < layer.width; unit += lanes<T>) sum_columns<1>(layer, unit, features, index, sums + unit);
}

// `by_row` holds as many rows of the layer's width as a vector has lanes; `sums` has a line for every unit.
template <class T>
inline void form_table_sums(const TableLayer<T>& layer, int padded, const T* features, const std::int32_t* index,
                            T* by_row, T* sums) {
    for (int row = 0; row < padded; row += lanes<T>) {
        for (int r = 0; r < lanes<T>; r += table_rows<T>)
            sum_rows(layer, features + row + r, index + row + r, by_row + r * layer.width);
        for (int unit = 0; unit < layer.width; unit += lanes<T>)
            transpose_square(by_row + unit, layer.width, sums + unit * block_rows + row, block_rows);
    }
}

}  // namespace isotone::ISOTONE_LEVEL
