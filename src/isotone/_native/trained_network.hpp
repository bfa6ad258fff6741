// A Plan laid out for training: one flat array of numbers per member, each layer's dense weights padded to whole
// vectors, columns that are read from a table (expanded and categorical ones) apart from those that are numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan.hpp"

namespace isotone {

// How a layer reads its weights: as they are; w s(x) or w s(-x) by the weight's sign; s(W+ x) - s(W- x).
enum class Reading { affine, switched, split };
// What stands between the layer below and this layer's inputs: nothing (data only), s(z), s(z) and s(-z), s(a) - s(c).
enum class Junction { none, single, sides, difference };

// A column of the data that a first layer reads from a table: `row` is its first row among the layer's table rows.
struct TableInput {
    int row = 0;
    int size = 0;
    bool categorical = false;
    double sign = 1.0;
};

// Dense inputs are the outputs of the layer below, then the columns that are numbers. Offsets count from the start of
// a member's flat array. Strides are padded to whole vectors; padding is zero and stays zero.
struct TrainedLayer {
    Reading reading = Reading::affine;
    Junction junction = Junction::none;
    bool mapped = false;
    bool trunk = false;
    int below = -1;
    Activation activation;
    int from_below = 0;
    int numbers = 0;
    int outputs = 0;
    int input_stride = 0;
    int output_stride = 0;
    int table_rows = 0;
    std::vector<TableInput> tables;
    // dense weights [output][input], bias [output], table weights [row][output]
    std::size_t weight = 0;
    std::size_t bias = 0;
    std::size_t table = 0;
    // where the table rows' buckets stand behind the gradient, two sets for a split layer
    std::size_t bucket = 0;
    // where the copy [input][output] of the dense weights stands among the copies, and the tables' running sums
    std::size_t copy = 0;
    std::size_t sums = 0;

    int dense() const { return from_below + numbers; }
    std::size_t weight_size() const { return static_cast<std::size_t>(outputs) * input_stride; }
    std::size_t bucket_size() const { return (reading == Reading::split ? 2 : 1) * table_size(); }
    std::size_t table_size() const { return static_cast<std::size_t>(table_rows) * output_stride; }
};

struct TrainedNetwork {
    std::vector<TrainedLayer> layers;
    WeightMap map = WeightMap::abs;
    double weight_sign = 1.0;
    int outputs = 1;
    int cuts = 0;
    std::size_t cut_offset = 0;
    // sizes of a member's weights, of its gradient (weights, then buckets), of the copies and of the running sums
    std::size_t size = 0;
    std::size_t gradient_size = 0;
    std::size_t copy_size = 0;
    std::size_t sums_size = 0;
    // per array of the parameters, where each number of one member stands in the flat array
    std::vector<std::vector<std::size_t>> places;

    const TrainedLayer& last() const { return layers.back(); }
};

// `lanes` is how many numbers a vector of the running level holds.
TrainedNetwork lay_out(const Plan& plan, int lanes);

}  // namespace isotone
