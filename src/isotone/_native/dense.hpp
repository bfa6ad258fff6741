// The sums of a layer with rows in lanes: bias, then one fused multiplication and addition per weight, in the order
// of the terms. That a tile holds several sums and several vectors of rows changes no sum's order.
#pragma once

#include "fma.hpp"
#include "lanes.hpp"
#include "network.hpp"

namespace isotone::ISOTONE_LEVEL {

// Vectors of rows that a tile takes at once: as many sums as there are registers for.
constexpr int tile_vectors = vector_bytes == 64 ? 4 : 2;

// The sums start from what `sums` holds if `onto`, else from the bias.
template <int width, int vectors, bool onto, class T>
[[gnu::always_inline]] inline void form_tile(const Term<T>* terms, int count, const T* inputs, const T* bias,
                                             T* sums) {
    using V = Lanes<T>;
    V sum[width][vectors];
    for (int j = 0; j < width; ++j)
        for (int v = 0; v < vectors; ++v)
            sum[j][v] = onto ? load<V>(sums + j * block_rows + v * lanes<T>) : splat<V>(bias[j]);
    for (int k = 0; k < count; ++k, terms += width)
        for (int j = 0; j < width; ++j) {
            const V weight = splat<V>(terms[j].weight);
            const T* line = inputs + terms[j].line;
            for (int v = 0; v < vectors; ++v)
                sum[j][v] = fused(weight, load<V>(line + v * lanes<T>), sum[j][v]);
        }
    for (int j = 0; j < width; ++j)
        for (int v = 0; v < vectors; ++v) store(sums + j * block_rows + v * lanes<T>, sum[j][v]);
}

template <int vectors, bool onto, class T>
inline void form_tiles(const Dense<T>& dense, const T* inputs, T* sums) {
    for (const Tile& tile : dense.tiles) {
        const Term<T>* terms = dense.terms.data() + tile.start;
        const T* bias = dense.bias.data() + tile.output;
        T* to = sums + tile.output * block_rows;
        switch (tile.width) {
            case 4: form_tile<4, vectors, onto>(terms, tile.count, inputs, bias, to); break;
            case 3: form_tile<3, vectors, onto>(terms, tile.count, inputs, bias, to); break;
            case 2: form_tile<2, vectors, onto>(terms, tile.count, inputs, bias, to); break;
            default: form_tile<1, vectors, onto>(terms, tile.count, inputs, bias, to);
        }
    }
}

// `padded` is a multiple of the lanes.
template <bool onto, class T>
inline void form_sums(const Dense<T>& dense, int padded, const T* inputs, T* sums) {
    constexpr int step = tile_vectors * lanes<T>;
    int r = 0;
    for (; r + step <= padded; r += step) form_tiles<tile_vectors, onto>(dense, inputs + r, sums + r);
    for (; r < padded; r += lanes<T>) form_tiles<1, onto>(dense, inputs + r, sums + r);
}

}  // namespace isotone::ISOTONE_LEVEL
