// From the sums of one layer to the lines that the next one reads.
#pragma once

#include "elementwise_pair.hpp"
#include "lanes.hpp"
#include "network.hpp"

namespace isotone::ISOTONE_LEVEL {

// How a layer's sums become lines: s(x); s(x) and s(-x) side by side; s of the first half minus s of the second.
enum class Passing { single, paired, difference };

template <Kind kind, Passing passing, class T>
inline void pass_lines(const Activation& activation, int count, int padded, const T* sums, T* lines) {
    using V = Lanes<T>;
    const Setting<V> p(activation);
    // -s(-x) is s with the signs of x and of s turned
    const BitsOf<V> flip = activation.reflected ? bits(-V{}) : BitsOf<V>{};
    const auto turned = [&](V x) { return from_bits(bits(x) ^ flip); };
    for (int j = 0; j < count; ++j)
        for (int r = 0; r < padded; r += lanes<T>) {
            const V x = turned(load<V>(sums + j * block_rows + r));
            if constexpr (passing == Passing::paired) {
                const Pair<V> y = plain_pair<kind>(x, p);
                store(lines + 2 * j * block_rows + r, turned(y.plus));
                store(lines + (2 * j + 1) * block_rows + r, turned(y.minus));
            } else if constexpr (passing == Passing::difference) {
                const V below = turned(load<V>(sums + (count + j) * block_rows + r));
                const V y = turned(plain_value<kind>(x, p));
                store(lines + j * block_rows + r, y - turned(plain_value<kind>(below, p)));
            } else {
                store(lines + j * block_rows + r, turned(plain_value<kind>(x, p)));
            }
        }
}

// `count` is the number of the layer's outputs; a difference reads twice as many sums.
template <Passing passing, class T>
inline void pass(const Activation& activation, int count, int padded, const T* sums, T* lines) {
    visit(activation.kind,
          [&](auto chosen) { pass_lines<chosen.kind, passing>(activation, count, padded, sums, lines); });
}

}  // namespace isotone::ISOTONE_LEVEL
