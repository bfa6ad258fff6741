// Columns read from a table: an expanded column gives sums[index] + fraction * w[index], a category w[code]. The
// gradient of the segments below a row's own is a suffix sum of buckets, so nothing is ever expanded.
#pragma once

#include "signs.hpp"
#include "training_kernels.hpp"

namespace isotone::ISOTONE_LEVEL {

// Half 0 of a split layer reads the positive weights, half 1 the negative ones; other layers have only half 0.
template <class V>
[[gnu::always_inline]] inline V half_of(bool split, int half, V w) {
    if (!split) return w;
    return half ? negative_part(w) : positive_part(w);
}

inline int halves(const TrainedLayer& layer) { return layer.reading == Reading::split ? 2 : 1; }

// sums[row] = the effective weights of the segments before it.
template <class T>
void sum_tables(const TrainedLayer& layer, const T* weights, T* sums) {
    using V = Lanes<T>;
    const bool split = layer.reading == Reading::split;
    for (int half = 0; half < halves(layer); ++half, sums += layer.table_size())
        for (const TableInput& table : layer.tables)
            for (int column = 0; column < layer.output_stride; column += lanes<T>) {
                V sum{};
                for (int i = 0; i < table.size; ++i) {
                    const int at = (table.row + i) * layer.output_stride + column;
                    store(sums + at, table.categorical ? V{} : sum);
                    sum += half_of(split, half, load<V>(weights + at));
                }
            }
}

// out = bias + what the tables give, in the order of the columns.
template <class T>
void read_tables(const TrainedLayer& layer, const EncodedBranch<T>& branch, const std::int32_t* rows, int count,
                 const T* weights, const T* sums, const T* bias, int half, T* out) {
    using V = Lanes<T>;
    const bool split = layer.reading == Reading::split;
    const auto tables = layer.tables.size();
    for (int r = 0; r < count; ++r) {
        const auto first = static_cast<std::size_t>(rows[r]) * tables;
        for (int column = 0; column < layer.output_stride; column += lanes<T>) {
            V sum = load<V>(bias + column);
            for (std::size_t t = 0; t < tables; ++t) {
                const TableInput& table = layer.tables[t];
                const int at = (table.row + branch.index[first + t]) * layer.output_stride + column;
                const V w = half_of(split, half, load<V>(weights + at));
                const V fraction = all<V>(table.categorical ? T(1) : branch.fraction[first + t]);
                const V given = multiply_add(w, fraction, load<V>(sums + at));
                sum = multiply_add(all<V>(static_cast<T>(table.sign)), given, sum);
            }
            store(out + r * layer.output_stride + column, sum);
        }
    }
}

// Writes the gradient by the segment a row stands in, and by code; `buckets` gathers what belongs to all segments
// below. Zeroes both first.
template <class T>
void table_gradient(const TrainedLayer& layer, const EncodedBranch<T>& branch, const std::int32_t* rows, int count,
                    const T* weights, const T* pull, const T* pull_minus, T* gradient, T* buckets) {
    using V = Lanes<T>;
    const bool split = layer.reading == Reading::split;
    const auto tables = layer.tables.size();
    std::fill_n(gradient, layer.table_size(), T{});
    std::fill_n(buckets, layer.bucket_size(), T{});
    for (int r = 0; r < count; ++r) {
        const auto first = static_cast<std::size_t>(rows[r]) * tables;
        for (std::size_t t = 0; t < tables; ++t) {
            const TableInput& table = layer.tables[t];
            const V fraction = all<V>(table.categorical ? T(1) : branch.fraction[first + t]);
            const V sign = all<V>(static_cast<T>(table.sign));
            for (int column = 0; column < layer.output_stride; column += lanes<T>) {
                const int at = (table.row + branch.index[first + t]) * layer.output_stride + column;
                const V plus = sign * load<V>(pull + r * layer.output_stride + column);
                const V minus = split ? sign * load<V>(pull_minus + r * layer.output_stride + column) : plus;
                const V own = choose(signs(load<V>(weights + at)), plus, minus);
                store(gradient + at, multiply_add(own, fraction, load<V>(gradient + at)));
                store(buckets + at, load<V>(buckets + at) + plus);
                if (split) {
                    T* other = buckets + layer.table_size() + at;
                    store(other, load<V>(other) + minus);
                }
            }
        }
    }
}

// Adds to each segment's gradient the buckets of all segments above it.
template <class T>
void spread_buckets(const TrainedLayer& layer, const T* weights, const T* buckets, T* gradient) {
    using V = Lanes<T>;
    const T* other = layer.reading == Reading::split ? buckets + layer.table_size() : buckets;
    for (const TableInput& table : layer.tables)
        for (int column = 0; column < layer.output_stride && !table.categorical; column += lanes<T>) {
            V plus{}, minus{};
            for (int i = table.size - 1; i >= 0; --i) {
                const int at = (table.row + i) * layer.output_stride + column;
                const V above = choose(signs(load<V>(weights + at)), plus, minus);
                store(gradient + at, load<V>(gradient + at) + above);
                plus += load<V>(buckets + at);
                minus += load<V>(other + at);
            }
        }
}

}  // namespace isotone::ISOTONE_LEVEL
