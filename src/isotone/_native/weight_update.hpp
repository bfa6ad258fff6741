// What happens to a member's flat arrays once per step: effective weights and copies before, the optimiser after.
#pragma once

#include "mapped_weights.hpp"
#include "table_inputs.hpp"
#include "transpose.hpp"

namespace isotone::ISOTONE_LEVEL {

// Calls f(offset) for every vector of a layer's dense and table weights.
template <class T, class F>
[[gnu::always_inline]] inline void each_weight(const TrainedLayer& layer, F f) {
    for (std::size_t i = 0; i < layer.weight_size(); i += lanes<T>) f(layer.weight + i);
    for (std::size_t i = 0; i < layer.table_size(); i += lanes<T>) f(layer.table + i);
}

template <class T>
void prepare(const TrainedNetwork& network, const T* weights, Prepared<T>& prepared) {
    using V = Lanes<T>;
    const V sign = all<V>(static_cast<T>(network.weight_sign));
    for (const TrainedLayer& layer : network.layers) {
        T* effective = prepared.effective.data();
        if (layer.mapped)
            each_weight<T>(layer, [&](std::size_t at) {
                store(effective + at, sign * mapped(network.map, load<V>(weights + at)));
            });
        const T* read = layer.mapped ? effective : weights;
        transpose(read + layer.weight, layer.input_stride, layer.outputs, layer.dense(),
                  prepared.copies.data() + layer.copy, layer.output_stride);
        sum_tables(layer, read + layer.table, prepared.sums.data() + layer.sums);
    }
}

template <class T>
void finish(const TrainedNetwork& network, const T* weights, T* gradient) {
    using V = Lanes<T>;
    const V sign = all<V>(static_cast<T>(network.weight_sign));
    for (const TrainedLayer& layer : network.layers) {
        spread_buckets(layer, weights + layer.table, gradient + layer.bucket, gradient + layer.table);
        if (layer.mapped)
            each_weight<T>(layer, [&](std::size_t at) {
                store(gradient + at,
                      load<V>(gradient + at) * (sign * mapped_slope(network.map, load<V>(weights + at))));
            });
    }
}

template <class T>
void add(std::size_t size, const T* from, T* to) {
    for (std::size_t i = 0; i < size; i += lanes<T>) store(to + i, load<Lanes<T>>(to + i) + load<Lanes<T>>(from + i));
}

template <class T>
void scale(std::size_t size, T factor, T* numbers) {
    for (std::size_t i = 0; i < size; i += lanes<T>) store(numbers + i, load<Lanes<T>>(numbers + i) * factor);
}

template <class T>
double squares(std::size_t size, const T* numbers) {
    double sum = 0.0;
    for (std::size_t i = 0; i < size; ++i) sum += double(numbers[i]) * double(numbers[i]);
    return sum;
}

// m / (scale * sqrt(v) + epsilon).
template <class V>
[[gnu::always_inline]] inline V adam_direction(V m, V v, V scale, V epsilon) {
#if defined(__AVX512F__)
    // root and quotient by estimates of 14 bits and a step of Newton's method each: a fifth of the time, 1e-7 off
    if constexpr (sizeof(Scalar<V>) == 4) {
        const V r = _mm512_maskz_rsqrt14_ps(0xFFFF, max(v, all<V>(1e-38f)));
        const V rough = v * r, root_of_v = rough * multiply_add(all<V>(-0.5f), rough * r, all<V>(1.5f));
        const V below = multiply_add(root_of_v, scale, epsilon), q = _mm512_maskz_rcp14_ps(0xFFFF, below);
        return m * (q * multiply_add(-below, q, all<V>(2.0f)));
    }
#endif
    return m / multiply_add(root(v), scale, epsilon);
}

// Adam (Kingma, Ba 2015); `decoupled` weight decay is AdamW's, else it is part of the gradient.
template <class T>
void update(const AdamStep<T>& step, std::size_t size, const T* gradient, T* weights, T* first, T* second) {
    using V = Lanes<T>;
    const V keep_first = all<V>(step.first_decay), keep_second = all<V>(step.second_decay);
    const V take_first = all<V>(T(1) - step.first_decay), take_second = all<V>(T(1) - step.second_decay);
    const V rate = all<V>(step.scaled_rate), second_scale = all<V>(step.second_scale), epsilon = all<V>(step.epsilon);
    const V pulled = all<V>(step.decoupled ? T(0) : step.weight_decay);
    const V shrunk = all<V>(step.decoupled ? T(1) - step.rate * step.weight_decay : T(1));
    for (std::size_t i = 0; i < size; i += lanes<T>) {
        const V w = load<V>(weights + i);
        const V g = multiply_add(pulled, w, load<V>(gradient + i));
        const V m = multiply_add(keep_first, load<V>(first + i), take_first * g);
        const V v = multiply_add(keep_second, load<V>(second + i), take_second * (g * g));
        store(first + i, m);
        store(second + i, v);
        store(weights + i, multiply_add(-rate, adam_direction(m, v, second_scale, epsilon), shrunk * w));
    }
}

}  // namespace isotone::ISOTONE_LEVEL
