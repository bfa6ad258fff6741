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

// One term of a sum: the weight, and where the line of its input begins.
template <class T>
struct Term {
    std::int32_t line;
    T weight;
};

// Up to `tile_width` sums over equally many terms that are formed side by side; their terms stand interleaved.
constexpr int tile_width = 4;
struct Tile {
    int output;
    int width;
    int count;
    std::size_t start;
};

// Sums bias + weight * input of whole lines, in the order of the terms.
template <class T>
struct Dense {
    int outputs = 0;
    std::vector<T> bias;
    std::vector<Tile> tiles;
    std::vector<Term<T>> terms;
};

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
