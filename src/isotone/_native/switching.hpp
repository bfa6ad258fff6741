// From the sums of one layer to the lines that the next one reads.
#pragma once

#include "elementwise.hpp"
#include "lanes.hpp"
#include "network.hpp"

namespace isotone::ISOTONE_LEVEL {

// How a layer's sums become lines: s(x); s(x) and s(-x) side by side; s of the first half minus s of the second.
enum class Passing { single, paired, difference };

// -s(-x) where the bits of `flip` are the sign bit, s(x) where they are zero.
template <Kind kind, class V>
[[gnu::always_inline]] inline V reflected_value(V x, BitsOf<V> flip, const Setting<V>& p) {
    return from_bits(bits(plain_value<kind>(from_bits(bits(x) ^ flip), p)) ^ flip);
}

template <Kind kind, Passing passing, class T>
inline void pass_lines(const Activation& activation, int count, int padded, const T* sums, T* lines) {
    using V = Lanes<T>;
    const Setting<V> p(activation);
    const BitsOf<V> sign = bits(-V{}), flip = activation.reflected ? sign : BitsOf<V>{};
    for (int j = 0; j < count; ++j)
        for (int r = 0; r < padded; r += lanes<T>) {
            const V x = load<V>(sums + j * block_rows + r);
            const V y = reflected_value<kind>(x, flip, p);
            if constexpr (passing == Passing::paired) {
                store(lines + 2 * j * block_rows + r, y);
                store(lines + (2 * j + 1) * block_rows + r, reflected_value<kind>(-x, flip, p));
            } else if constexpr (passing == Passing::difference) {
                const V below = load<V>(sums + (count + j) * block_rows + r);
                store(lines + j * block_rows + r, y - reflected_value<kind>(below, flip, p));
            } else {
                store(lines + j * block_rows + r, y);
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
