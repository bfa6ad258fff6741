// The table of training kernels that each level offers, and the memory they work in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "aligned.hpp"
#include "encoded_rows.hpp"
#include "losses.hpp"
#include "trained_network.hpp"

namespace isotone {

// Rows are worked on in slabs of this many. A gradient is the sum of its slabs' gradients in order, whoever computed
// them, so it does not depend on threads.
inline constexpr int slab_rows = 32;
// A slab is filled up to a multiple of this with copies of its first row that weigh nothing.
inline constexpr int row_tile = 8;

// What the kernels read beside a member's weights; made once per step.
template <class T>
struct Prepared {
    // the weights with those of mapped layers replaced by sign * g(w)
    Buffer<T> effective;
    // each layer's dense weights, [input][output]
    Buffer<T> copies;
    // each table's running sums of effective weights; split layers have a second set, of the negative weights
    Buffer<T> sums;

    explicit Prepared(const TrainedNetwork& network)
        : effective(network.size), copies(network.copy_size), sums(network.sums_size) {}
};

// One layer's part of the scratch memory, each array [row][unit]: inputs, and the slopes by what is below; outputs and
// the loss's derivative by them. The second of each pair is the side s(-z), or the negative half of a split layer.
// Outputs live until the next layer has read them, derivatives until the layer below has its own: layers share them,
// so that a slab stays in the first-level cache.
template <class T>
struct LayerScratch {
    T *plus, *minus, *plus_slope, *minus_slope;
    T *out, *out_minus, *pull, *pull_minus;
    // all bits set in lanes that hold an output of the layer below, none in padding
    T* live;
};

template <class T>
struct Scratch {
    Buffer<T> memory;
    std::vector<LayerScratch<T>> layers;
    std::vector<double> scores, pulls, cuts, cut_pulls;

    explicit Scratch(const TrainedNetwork& network);
};

// Up to slab_rows rows of the data, with their targets and weights by row; `factor` scales the gradient.
template <class T>
struct Slab {
    const EncodedRows<T>* data;
    const std::int32_t* rows;
    int count;
    const double* targets;
    const double* weights;
    const Loss* loss;
    double factor;
};

template <class T>
struct AdamStep {
    T rate, first_decay, second_decay, epsilon, weight_decay;
    // 1 - decay^step of each moment: rate / first_bias and 1 / sqrt(second_bias)
    T scaled_rate, second_scale;
    bool decoupled;
};

template <class T>
struct TrainingKernels {
    int lanes;
    void (*prepare)(const TrainedNetwork&, const T* weights, Prepared<T>&);
    // The weighted sum of the rows' losses.
    double (*value)(const TrainedNetwork&, const T* weights, const Prepared<T>&, Scratch<T>&, const Slab<T>&);
    // The same, and the gradient of `factor` times it by the effective weights.
    double (*gradient)(const TrainedNetwork&, const T* weights, const Prepared<T>&, Scratch<T>&, const Slab<T>&,
                       T* gradient);
    // Turns the gradient by effective weights and buckets into the gradient by weights.
    void (*finish)(const TrainedNetwork&, const T* weights, T* gradient);
    void (*add)(std::size_t size, const T* from, T* to);
    void (*scale)(std::size_t size, T factor, T* numbers);
    double (*squares)(std::size_t size, const T* numbers);
    void (*update)(const AdamStep<T>&, std::size_t size, const T* gradient, T* weights, T* first, T* second);
};

template <class T>
Scratch<T>::Scratch(const TrainedNetwork& network) {
    std::size_t widest = 0, total = 0;
    for (const TrainedLayer& layer : network.layers) {
        widest = std::max(widest, static_cast<std::size_t>(layer.output_stride));
        total += (4 * slab_rows + 1) * static_cast<std::size_t>(layer.input_stride);
    }
    memory = Buffer<T>(total + 6 * slab_rows * widest);
    T* next = memory.data();
    const auto take = [&next](std::size_t rows, std::size_t width) { return std::exchange(next, next + rows * width); };
    T *out = take(slab_rows, widest), *out_minus = take(slab_rows, widest);
    T* pulls_by_turns[] = {take(slab_rows, widest), take(slab_rows, widest)};
    T* pulls_minus_by_turns[] = {take(slab_rows, widest), take(slab_rows, widest)};
    for (const TrainedLayer& layer : network.layers) {
        const auto width = static_cast<std::size_t>(layer.input_stride);
        LayerScratch<T> one;
        for (T** part : {&one.plus, &one.minus, &one.plus_slope, &one.minus_slope}) *part = take(slab_rows, width);
        one.live = take(1, width);
        one.out = out;
        one.out_minus = out_minus;
        one.pull = pulls_by_turns[layers.size() % 2];
        one.pull_minus = pulls_minus_by_turns[layers.size() % 2];
        std::memset(static_cast<void*>(one.live), 0xFF, static_cast<std::size_t>(layer.from_below) * sizeof(T));
        layers.push_back(one);
    }
    const auto count = static_cast<std::size_t>(network.cuts > network.outputs ? network.cuts : network.outputs);
    for (std::vector<double>* line : {&scores, &pulls, &cuts, &cut_pulls}) line->resize(count);
}

}  // namespace isotone
