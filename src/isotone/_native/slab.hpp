// One slab of rows through the network and back.
#pragma once

#include <algorithm>

#include "dense_backward.hpp"
#include "dense_forward.hpp"
#include "junctions.hpp"
#include "table_inputs.hpp"

namespace isotone::ISOTONE_LEVEL {

// What every step of a slab reads.
template <class T>
struct SlabPass {
    const TrainedNetwork& network;
    const T* weights;
    const Prepared<T>& prepared;
    Scratch<T>& scratch;
    const Slab<T>& slab;
    // the rows of the slab, filled up to a multiple of row_tile
    std::int32_t rows[slab_rows];
    int count;

    SlabPass(const TrainedNetwork& n, const T* w, const Prepared<T>& p, Scratch<T>& s, const Slab<T>& given)
        : network(n), weights(w), prepared(p), scratch(s), slab(given) {
        count = (given.count + row_tile - 1) / row_tile * row_tile;
        for (int r = 0; r < count; ++r) rows[r] = given.rows[r < given.count ? r : 0];
    }

    const T* effective(const TrainedLayer& layer) const { return layer.mapped ? prepared.effective.data() : weights; }
    const EncodedBranch<T>& branch(const TrainedLayer& layer) const {
        return layer.trunk ? slab.data->trunk : slab.data->free;
    }
};

template <class F>
[[gnu::always_inline]] inline void visit_reading(Reading reading, F f) {
    switch (reading) {
        case Reading::affine: return f(std::integral_constant<Reading, Reading::affine>{});
        case Reading::switched: return f(std::integral_constant<Reading, Reading::switched>{});
        case Reading::split: return f(std::integral_constant<Reading, Reading::split>{});
    }
}

// Copies at least as many numbers as a piece has; the last piece begins where it ends with them.
template <std::size_t piece, class T>
[[gnu::always_inline]] inline void copy_pieces(const T* from, std::size_t count, T* to) {
    for (std::size_t i = 0; i + piece < count; i += piece) std::memcpy(to + i, from + i, piece * sizeof(T));
    std::memcpy(to + count - piece, from + count - piece, piece * sizeof(T));
}

// Copies a few numbers; a call of memcpy would take longer than they do.
template <class T>
[[gnu::always_inline]] inline void copy_few(const T* from, std::size_t count, T* to) {
    if (count >= 8) copy_pieces<8>(from, count, to);
    else if (count >= 4) copy_pieces<4>(from, count, to);
    else if (count >= 2) copy_pieces<2>(from, count, to);
    else *to = *from;
}

// The columns that are numbers stand behind the outputs of the layer below.
template <class T>
void gather_numbers(const SlabPass<T>& pass, const TrainedLayer& layer, const LayerScratch<T>& here) {
    const std::vector<T>& number = pass.branch(layer).number;
    const auto width = static_cast<std::size_t>(layer.numbers);
    for (int r = 0; r < pass.count; ++r) {
        const auto first = static_cast<std::size_t>(pass.rows[r]) * width;
        copy_few(number.data() + first, width, here.plus + r * layer.input_stride + layer.from_below);
    }
}

template <class T>
void layer_forward(const SlabPass<T>& pass, std::size_t index) {
    const TrainedLayer& layer = pass.network.layers[index];
    const LayerScratch<T>& here = pass.scratch.layers[index];
    if (layer.below >= 0) {
        const auto below = static_cast<std::size_t>(layer.below);
        join(layer, here, pass.scratch.layers[below], pass.network.layers[below].output_stride, pass.count);
    }
    if (layer.numbers) gather_numbers(pass, layer, here);
    const T* bias = pass.weights + layer.bias;
    DenseForward<T> f{pass.prepared.copies.data() + layer.copy, layer.dense(), pass.count, here.plus, here.minus,
                      layer.input_stride, bias, bias, 0, here.out, here.out_minus, layer.output_stride};
    if (!layer.tables.empty()) {
        const T* table = pass.effective(layer) + layer.table;
        const T* sums = pass.prepared.sums.data() + layer.sums;
        for (int half = 0; half < halves(layer); ++half)
            read_tables(layer, pass.branch(layer), pass.rows, pass.count, table, sums + half * layer.table_size(),
                        bias, half, half ? here.out_minus : here.out);
        f.start = here.out;
        f.start_minus = here.out_minus;
        f.start_step = layer.output_stride;
    }
    visit_reading(layer.reading, [&](auto reading) { dense_forward<decltype(reading)::value>(f); });
}

// One row's loss; the derivative by its scores goes to the scratch's `pulls`, that by the cuts is added up.
template <class T>
double row_head(const SlabPass<T>& pass, const T* out, std::int32_t row, double factor) {
    Scratch<T>& s = pass.scratch;
    const int outputs = pass.network.outputs, cuts = pass.network.cuts;
    const int count = cuts ? cuts : outputs;
    for (int i = 0; i < count; ++i) s.scores[i] = cuts ? double(out[0]) - s.cuts[i] : double(out[i]);
    const double value = row_loss(*pass.slab.loss, s.scores.data(), count, pass.slab.targets[row], s.pulls.data());
    if (!cuts) return value;
    double sum = 0.0;
    for (int i = 0; i < cuts; ++i) {
        sum += s.pulls[i];
        s.cut_pulls[i] -= factor * s.pulls[i];
    }
    s.pulls[0] = sum;
    return value;
}

// The weighted sum of the losses; leaves their derivative in the last layer's `pull`, zero in rows that only fill up.
template <class T>
double head(const SlabPass<T>& pass) {
    const TrainedLayer& layer = pass.network.last();
    const LayerScratch<T>& here = pass.scratch.layers.back();
    std::vector<double> free(pass.weights + pass.network.cut_offset,
                             pass.weights + pass.network.cut_offset + pass.network.cuts);
    rising_cuts(free.data(), pass.network.cuts, pass.scratch.cuts.data());
    std::fill(pass.scratch.cut_pulls.begin(), pass.scratch.cut_pulls.end(), 0.0);
    std::fill_n(here.pull, pass.count * layer.output_stride, T{});
    double sum = 0.0;
    for (int r = 0; r < pass.slab.count; ++r) {
        const double weight = pass.slab.weights[pass.rows[r]], factor = weight * pass.slab.factor;
        sum += weight * row_head(pass, here.out + r * layer.output_stride, pass.rows[r], factor);
        for (int j = 0; j < layer.outputs; ++j)
            here.pull[r * layer.output_stride + j] = static_cast<T>(factor * pass.scratch.pulls[j]);
    }
    return sum;
}

// The derivative by the inputs, times the slopes, is the derivative by the outputs of the layer below.
template <Reading reading, class T>
void pull_below(const SlabPass<T>& pass, const TrainedLayer& layer, const LayerScratch<T>& here,
                const DenseBackward<T>& b) {
    using V = Lanes<T>;
    const LayerScratch<T>& below = pass.scratch.layers[static_cast<std::size_t>(layer.below)];
    const int stride = pass.network.layers[static_cast<std::size_t>(layer.below)].output_stride;
    const bool difference = layer.junction == Junction::difference;
    const int width = layer.input_stride;
    const T *plus_slope = here.plus_slope, *minus_slope = here.minus_slope;
    T *to = below.pull, *to_minus = below.pull_minus;
    input_gradient<reading>(b, stride, [=](int row, int column, V plus, V minus) {
        const int from = row * width + column, at = row * stride + column;
        const V pull = plus * load<V>(plus_slope + from);
        if constexpr (reading == Reading::switched) store(to + at, pull - minus * load<V>(minus_slope + from));
        else store(to + at, pull);
        if (reading != Reading::switched && difference) store(to_minus + at, -plus * load<V>(minus_slope + from));
    });
}

template <class T>
void layer_backward(const SlabPass<T>& pass, std::size_t index, T* gradient) {
    const TrainedLayer& layer = pass.network.layers[index];
    const LayerScratch<T>& here = pass.scratch.layers[index];
    const DenseBackward<T> b{pass.effective(layer) + layer.weight, layer.outputs, pass.count, here.plus, here.minus,
                             layer.input_stride, here.pull, here.pull_minus, layer.output_stride};
    if (!layer.tables.empty())
        table_gradient(layer, pass.branch(layer), pass.rows, pass.count, pass.effective(layer) + layer.table,
                       here.pull, here.pull_minus, gradient + layer.table, gradient + layer.bucket);
    visit_reading(layer.reading, [&](auto chosen) {
        constexpr Reading reading = decltype(chosen)::value;
        weight_gradient<reading>(b, gradient + layer.weight);
        bias_gradient<reading>(b, gradient + layer.bias);
        if (layer.below >= 0) pull_below<reading>(pass, layer, here, b);
    });
}

template <class T>
double slab_value(const TrainedNetwork& network, const T* weights, const Prepared<T>& prepared, Scratch<T>& scratch,
                  const Slab<T>& slab) {
    const SlabPass<T> pass(network, weights, prepared, scratch, slab);
    for (std::size_t i = 0; i < network.layers.size(); ++i) layer_forward(pass, i);
    return head(pass);
}

template <class T>
double slab_gradient(const TrainedNetwork& network, const T* weights, const Prepared<T>& prepared, Scratch<T>& scratch,
                     const Slab<T>& slab, T* gradient) {
    const SlabPass<T> pass(network, weights, prepared, scratch, slab);
    for (std::size_t i = 0; i < network.layers.size(); ++i) layer_forward(pass, i);
    const double value = head(pass);
    if (network.cuts) {
        std::vector<double> free(weights + network.cut_offset, weights + network.cut_offset + network.cuts);
        rising_cuts_gradient(free.data(), network.cuts, scratch.cut_pulls.data(), scratch.pulls.data());
        std::copy_n(scratch.pulls.data(), network.cuts, gradient + network.cut_offset);
    }
    for (std::size_t i = network.layers.size(); i-- > 0;) layer_backward(pass, i, gradient);
    return value;
}

}  // namespace isotone::ISOTONE_LEVEL
