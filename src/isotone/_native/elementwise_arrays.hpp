// The elementwise functions over arrays of any length.
#pragma once

#include "elementwise.hpp"
#include "elementwise_kernels.hpp"
#include "elementwise_pair.hpp"
#include "fma.hpp"
#include "link_functions.hpp"

namespace isotone::ISOTONE_LEVEL {

// y[i] = f(x[i]); the last entries go through a full vector too, so that they have the same bits.
template <class T, class F>
[[gnu::always_inline]] inline void map_array(std::int64_t n, const T* x, T* y, F f) {
    using V = Lanes<T>;
    constexpr std::int64_t step = lanes<T>;
    std::int64_t i = 0;
    for (; i + step <= n; i += step) store(y + i, f(load<V>(x + i)));
    if (i == n) return;
    T last[step] = {};
    std::memcpy(last, x + i, sizeof(T) * static_cast<std::size_t>(n - i));
    store(last, f(load<V>(last)));
    std::memcpy(y + i, last, sizeof(T) * static_cast<std::size_t>(n - i));
}

template <class T>
void map_values(const Activation& activation, std::int64_t n, const T* x, T* y) {
    const Setting<Lanes<T>> p(activation);
    visit(activation.kind, [&](auto chosen) {
        using V = Lanes<T>;
        if (activation.reflected) map_array(n, x, y, [&](V v) { return value<chosen.kind, true>(v, p); });
        else map_array(n, x, y, [&](V v) { return value<chosen.kind, false>(v, p); });
    });
}

template <class T>
void map_slopes(const Activation& activation, std::int64_t n, const T* x, T* y) {
    const Setting<Lanes<T>> p(activation);
    visit(activation.kind, [&](auto chosen) {
        using V = Lanes<T>;
        if (activation.reflected) map_array(n, x, y, [&](V v) { return slope<chosen.kind, true>(v, p); });
        else map_array(n, x, y, [&](V v) { return slope<chosen.kind, false>(v, p); });
    });
}

inline void map_pairs(const Activation& activation, std::int64_t n, const float* x, float* plus, float* minus) {
    const Setting<Floats> p(activation);
    visit(activation.kind, [&](auto chosen) {
        map_array(n, x, plus, [&](Floats v) { return plain_pair<chosen.kind>(v, p).plus; });
        map_array(n, x, minus, [&](Floats v) { return plain_pair<chosen.kind>(v, p).minus; });
    });
}

inline void fuse_arrays(std::int64_t n, const float* a, const float* b, const float* c, float* y) {
    for (std::int64_t i = 0; i < n; i += float_lanes) {
        const auto size = sizeof(float) * static_cast<std::size_t>(n - i < float_lanes ? n - i : float_lanes);
        Floats va{}, vb{}, vc{};
        std::memcpy(&va, a + i, size);
        std::memcpy(&vb, b + i, size);
        std::memcpy(&vc, c + i, size);
        const Floats sum = fused(va, vb, vc);
        std::memcpy(y + i, &sum, size);
    }
}

// Scores are floats, widened one by one; what a link does then does not depend on the lane.
template <class F>
[[gnu::always_inline]] inline void link_array(std::int64_t n, const float* scores, double* predictions, F f) {
    for (std::int64_t i = 0; i < n; i += double_lanes) {
        const std::int64_t count = n - i < double_lanes ? n - i : double_lanes;
        Doubles z{};
        for (std::int64_t k = 0; k < count; ++k) z[k] = static_cast<double>(scores[i + k]);
        z = f(z);
        std::memcpy(predictions + i, &z, sizeof(double) * static_cast<std::size_t>(count));
    }
}

inline void link_by_sigmoid(std::int64_t n, const float* scores, double* predictions) {
    link_array(n, scores, predictions, linked_sigmoid);
}

inline void link_by_exp(std::int64_t n, const float* scores, double* predictions) {
    link_array(n, scores, predictions, linked_exp);
}

inline constexpr ElementwiseKernels elementwise_kernels = {
    map_values<float>,  map_slopes<float>, map_pairs,   map_values<double>,
    map_slopes<double>, link_by_sigmoid,   link_by_exp, fuse_arrays,
};

}  // namespace isotone::ISOTONE_LEVEL
