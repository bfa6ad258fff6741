// The sums of a layer with rows in lanes: bias, then one fused multiplication and addition per weight, in the order
// of the inputs. That several sums and several vectors of rows go side by side changes no sum's order.
#pragma once

#include <cstddef>
#include <type_traits>

#include "fma.hpp"
#include "lanes.hpp"
#include "network.hpp"
#include "sign_choice.hpp"

namespace isotone::ISOTONE_LEVEL {

// Vectors of rows that a tile takes at once.
template <bool paired>
constexpr int tile_vectors = vector_bytes == 64 || paired ? 4 : 2;

// A sum starts from what its line holds if `onto`, else from the bias.
template <bool onto, int vectors, class T>
[[gnu::always_inline]] inline void start_sum(T bias, const T* line, Lanes<T> (&sum)[vectors]) {
    for (int v = 0; v < vectors; ++v)
        sum[v] = onto ? load<Lanes<T>>(line + v * lanes<T>) : splat<Lanes<T>>(bias);
}

template <int vectors, class T>
[[gnu::always_inline]] inline void store_sum(const Lanes<T> (&sum)[vectors], T* line) {
    for (int v = 0; v < vectors; ++v) store(line + v * lanes<T>, sum[v]);
}

// Adds one input to the sums of a tile. Of its two lines each weight takes one: by a choice in registers where
// there are many, else by the address.
template <int width, int vectors, bool paired, class T>
[[gnu::always_inline]] inline void add_input(const T* line, const T* weights, Lanes<T> (&sum)[width][vectors]) {
    using V = Lanes<T>;
    constexpr bool by_choice = paired && vector_bytes == 64;
    V plus[vectors], minus[vectors];
    for (int v = 0; v < vectors; ++v) plus[v] = load<V>(line + v * lanes<T>);
    for (int v = 0; v < vectors && by_choice; ++v) minus[v] = load<V>(line + block_rows + v * lanes<T>);
    for (int j = 0; j < width; ++j) {
        const V weight = splat<V>(weights[j]);
        const SignChoice<V> choose(weight);
        const T* chosen = line + (weights[j] < 0 ? block_rows : 0);
        for (int v = 0; v < vectors; ++v) {
            const V input = by_choice ? choose(plus[v], minus[v]) : paired ? load<V>(chosen + v * lanes<T>) : plus[v];
            sum[j][v] = fused(weight, input, sum[j][v]);
        }
    }
}

// `width` sums of a tile that holds `stride`.
template <int width, int vectors, bool onto, bool paired, class T>
[[gnu::always_inline]] inline void form_tile(const Grid<T>& grid, int stride, const T* weights, const T* inputs,
                                             const T* bias, T* sums) {
    Lanes<T> sum[width][vectors];
    for (int j = 0; j < width; ++j) start_sum<onto>(bias[j], sums + j * block_rows, sum[j]);
    for (const std::int32_t line : grid.lines) {
        add_input<width, vectors, paired>(inputs + line, weights, sum);
        weights += stride;
    }
    for (int j = 0; j < width; ++j) store_sum(sum[j], sums + j * block_rows);
}

template <int vectors, bool onto, bool paired, class T>
inline void form_grid(const Dense<T>& dense, const T* inputs, T* sums) {
    // as many sums as there are registers for
    constexpr int whole = vectors * (vector_bytes == 64 ? 4 : 8) > 16 ? tile_width / 2 : tile_width;
    const T* weights = dense.grid.weights.data();
    const T* bias = dense.bias.data();
    int left = dense.outputs;
    for (; left >= tile_width; left -= tile_width) {
        for (int j = 0; j < tile_width; j += whole)
            form_tile<whole, vectors, onto, paired>(dense.grid, tile_width, weights + j, inputs, bias + j,
                                                    sums + j * block_rows);
        weights += tile_width * static_cast<std::ptrdiff_t>(dense.grid.lines.size());
        bias += tile_width;
        sums += tile_width * block_rows;
    }
    int j = 0;
    for (; j + 2 <= left; j += 2)
        form_tile<2, vectors, onto, paired>(dense.grid, left, weights + j, inputs, bias + j, sums + j * block_rows);
    if (j < left)
        form_tile<1, vectors, onto, paired>(dense.grid, left, weights + j, inputs, bias + j, sums + j * block_rows);
}

template <int vectors, class T>
[[gnu::always_inline]] inline void add_term(const Term<T>& term, const T* inputs, Lanes<T> (&sum)[vectors]) {
    using V = Lanes<T>;
    const V weight = splat<V>(term.weight);
    for (int v = 0; v < vectors; ++v) sum[v] = fused(weight, load<V>(inputs + term.line + v * lanes<T>), sum[v]);
}

// The two sums of a pre-switch's output go side by side as long as both have terms.
template <int vectors, bool onto, class T>
inline void form_lists(const Dense<T>& dense, const T* inputs, T* sums) {
    const int half = dense.outputs / 2;
    const std::int32_t* ends = dense.lists.ends.data();
    for (int j = 0; j < half; ++j) {
        const Term<T>* all = dense.lists.terms.data();
        const Term<T>*rising = all + (j > 0 ? ends[j - 1] : 0), *falling = all + ends[half + j - 1];
        const Term<T>*last_rising = all + ends[j], *last_falling = all + ends[half + j];
        T *up = sums + j * block_rows, *down = up + half * block_rows;
        Lanes<T> above[vectors], below[vectors];
        start_sum<onto>(dense.bias[static_cast<std::size_t>(j)], up, above);
        start_sum<onto>(dense.bias[static_cast<std::size_t>(j)], down, below);
        for (; rising != last_rising && falling != last_falling; ++rising, ++falling) {
            add_term<vectors>(*rising, inputs, above);
            add_term<vectors>(*falling, inputs, below);
        }
        for (; rising != last_rising; ++rising) add_term<vectors>(*rising, inputs, above);
        for (; falling != last_falling; ++falling) add_term<vectors>(*falling, inputs, below);
        store_sum(above, up);
        store_sum(below, down);
    }
}

// `form(vectors, first row)` for as many vectors as fit, then for one at a time; `padded` is a multiple of the lanes.
template <int vectors, class T, class F>
[[gnu::always_inline]] inline void over_rows(int padded, F form) {
    int r = 0;
    for (; r + vectors * lanes<T> <= padded; r += vectors * lanes<T>) form(std::integral_constant<int, vectors>{}, r);
    for (; r < padded; r += lanes<T>) form(std::integral_constant<int, 1>{}, r);
}

// The sums of all outputs for the rows of a block; they start from what `sums` holds if `onto`, else from the bias.
template <bool onto, class T>
inline void form_sums(const Dense<T>& dense, int padded, const T* inputs, T* sums) {
    if (dense.listed())
        over_rows<4, T>(padded, [&](auto v, int r) { form_lists<v(), onto>(dense, inputs + r, sums + r); });
    else if (dense.grid.paired)
        over_rows<tile_vectors<true>, T>(
            padded, [&](auto v, int r) { form_grid<v(), onto, true>(dense, inputs + r, sums + r); });
    else
        over_rows<tile_vectors<false>, T>(
            padded, [&](auto v, int r) { form_grid<v(), onto, false>(dense, inputs + r, sums + r); });
}

}  // namespace isotone::ISOTONE_LEVEL
