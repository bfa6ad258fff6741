// What stands between two layers: an activation, or both sides of one, with the slopes that the way back needs.
#pragma once

#include "sides.hpp"
#include "training_kernels.hpp"

namespace isotone::ISOTONE_LEVEL {

// The vector with its padding lanes set to zero, whatever the function gives there.
template <class V>
[[gnu::always_inline]] inline V kept(V value, V live) {
    return from_bits(bits(value) & bits(live));
}

// Calls f(kind, reflected) with both as constants.
template <class F>
void visit_activation(const Activation& activation, F f) {
    visit(activation.kind, [&](auto chosen) {
        if (activation.reflected) f(chosen, std::true_type{});
        else f(chosen, std::false_type{});
    });
}

// Calls f(place in `out` of the layer below, place in this layer's inputs, live lanes) for every vector.
template <class T, class F>
[[gnu::always_inline]] inline void each_vector(const TrainedLayer& layer, const LayerScratch<T>& here, int below_stride,
                                               int rows, F f) {
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < layer.from_below; column += lanes<T>)
            f(row * below_stride + column, row * layer.input_stride + column, load<Lanes<T>>(here.live + column));
}

// Fills the layer's inputs, and their slopes, from the outputs of the layer below.
template <class T>
void join(const TrainedLayer& layer, const LayerScratch<T>& here, const LayerScratch<T>& below, int below_stride,
          int rows) {
    using V = Lanes<T>;
    visit_activation(layer.activation, [&](auto chosen, auto reflected) {
        constexpr Kind kind = decltype(chosen)::kind;
        constexpr bool flip = decltype(reflected)::value;
        const Setting<V> p(layer.activation);
        each_vector(layer, here, below_stride, rows, [&](int from, int to, V live) {
            const Sides<V> z = sides<kind, flip>(load<V>(below.out + from), p);
            store(here.plus_slope + to, kept(z.high.slope, live));
            if (layer.junction == Junction::difference) {
                const Sides<V> c = sides<kind, flip>(load<V>(below.out_minus + from), p);
                store(here.plus + to, kept(z.high.value - c.high.value, live));
                store(here.minus_slope + to, kept(c.high.slope, live));
                return;
            }
            store(here.plus + to, kept(z.high.value, live));
            if (layer.junction == Junction::sides) {
                store(here.minus + to, kept(z.low.value, live));
                store(here.minus_slope + to, kept(z.low.slope, live));
            }
        });
    });
}

}  // namespace isotone::ISOTONE_LEVEL
