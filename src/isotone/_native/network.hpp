// A network made ready for prediction: effective weights, laid out as the kernels read them.
//
// Rows stand in lanes. A block holds `block_rows` rows; a buffer holds one line of that many numbers per unit. A
// feature is a line of the encoded block: one per column (its single component, or its fraction of a segment), then
// one per missing slot, then one per output of the free branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan.hpp"

namespace isotone {

// Rows of a block. A multiple of every level's lanes.
constexpr int block_rows = 64;
// Widths of tables are multiples of this, so that every level reads whole vectors.
constexpr int widest_lanes = 16;
// Encoded inputs stay within this, so that no sum overflows.
constexpr double input_bound = 0x1p20;

// Sums that are formed side by side.
constexpr int tile_width = 4;

// Sums over all inputs. Of a post-switch each input has two lines, s(x) and s(-x), one after the other; a weight
// reads the second if it is negative.
template <class T>
struct Grid {
    // the line where each input begins
    std::vector<std::int32_t> lines;
    // of tile_width outputs at a time, of as many as are left at the end: input by input, the weight of each
    std::vector<T> weights;
    bool paired = false;
};

// One term of a sum: the weight, and where the line of its input begins.
template <class T>
struct Term {
    std::int32_t line;
    T weight;
};

// Sums over some inputs each: of a pre-switch the first half takes the weights >= 0, the second half the others.
template <class T>
struct Lists {
    std::vector<Term<T>> terms;
    // where the terms of each sum end
    std::vector<std::int32_t> ends;
};

// Sums of bias + weight * input of whole lines, in the order of the inputs.
template <class T>
struct Dense {
    int outputs = 0;
    std::vector<T> bias;
    Grid<T> grid;
    Lists<T> lists;

    bool listed() const { return !lists.ends.empty(); }
};

// Calls f(output, line, weight) for every weight of the layer, the terms of each output in order.
template <class T, class F>
void for_weights(const Dense<T>& dense, F f) {
    std::int32_t term = 0;
    for (int output = 0; output < dense.outputs && dense.listed(); ++output)
        for (; term < dense.lists.ends[static_cast<std::size_t>(output)]; ++term) {
            const Term<T>& one = dense.lists.terms[static_cast<std::size_t>(term)];
            f(output, one.line, one.weight);
        }
    const T* weight = dense.grid.weights.data();
    for (int first = 0; first < dense.outputs && !dense.listed(); first += tile_width) {
        const int width = dense.outputs - first < tile_width ? dense.outputs - first : tile_width;
        for (const std::int32_t line : dense.grid.lines)
            for (int j = 0; j < width; ++j, ++weight)
                f(first + j, line + (dense.grid.paired && *weight < 0 ? block_rows : 0), *weight);
    }
}

// A column as a table layer reads it: a single component has one line of weights; a table has a line of slopes and a
// line of starts for every segment, and a last pair of zeros for a missing value.
struct TableColumn {
    int feature;
    bool table;
    std::size_t start;
};

// A first layer with expanded or categorical columns. Units stand in lanes here, since each row reads other segments.
template <class T>
struct TableLayer {
    int outputs = 0;
    int width = 0;
    std::vector<T> bias;
    std::vector<TableColumn> columns;
    std::vector<T> numbers;
};

// The first layer of a branch: tables if it has any columns that need one, then the sums that start from them.
template <class T>
struct FirstLayer {
    TableLayer<T> tables;
    Dense<T> dense;
    bool tabled() const { return tables.outputs > 0; }
};

template <class T>
struct Member {
    FirstLayer<T> free_first;
    std::vector<Dense<T>> free;
    FirstLayer<T> trunk_first;
    std::vector<Dense<T>> trunk;
};

// How a column is read: segment i begins at knots[i]; beyond both ends it continues linearly.
struct Encoding {
    bool categorical = false;
    bool missing = false;
    bool table = false;
    int size = 0;
    int slot = -1;
    std::vector<double> knots;
    // 1 / width of each segment
    std::vector<double> rates;
    // empty unless the column has levels; then the level at each knot, and the rise of each segment
    std::vector<double> levels;
    std::vector<double> rises;
};

template <class T>
struct Network {
    Plan plan;
    std::vector<Encoding> encodings;
    int features = 0;
    int slots = 0;
    // lines of the widest buffer between two layers: two per unit, a whole number of the widest vectors
    int widest = 0;
    std::vector<Member<T>> members;
    // shared cut points, not decreasing
    std::vector<double> cuts;

    int columns() const { return static_cast<int>(encodings.size()); }
};

}  // namespace isotone
