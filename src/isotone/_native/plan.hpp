// The description of a network as the kernels read it: an `Architecture`, parsed once. Nothing here depends on
// float or double, and nothing is a number that training changes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace isotone {

enum class Kind {
    relu, leaky_relu, relu6, elu, selu, celu, gelu, silu, sigmoid, tanh, exp, softsign, softplus, logsigmoid,
    srelu, threshold, identity,
};
enum class Form { post, pre, constrained };
enum class WeightMap { abs, square, softplus, exp, clamp };
enum class Link { identity, exp, sigmoid, softmax, cumulative, sorted };

// `parameters` in the order of the table in activations.py; reflected means -s(-x).
struct Activation {
    Kind kind = Kind::identity;
    bool reflected = false;
    double parameters[4] = {0.0, 0.0, 0.0, 0.0};
};

// A column of the data. `offset` is its first component among the free components (direction 0) or among the
// trunk's inputs; `slot` is its missing slot among the free components, or -1.
struct Column {
    bool categorical = false;
    int direction = 0;
    // the factor of its components: direction times the trunk's own direction; 1 for a free column
    int sign = 1;
    int components = 1;
    int offset = 0;
    int slot = -1;
    std::vector<double> knots;
    std::vector<double> levels;

    // Whether the column is one number that enters the first layer as an ordinary input.
    bool single() const { return !categorical && components == 1; }
    bool missing() const { return slot >= 0; }
};

struct Layer {
    int inputs = 0;
    int outputs = 0;

    std::size_t weights() const { return static_cast<std::size_t>(inputs) * static_cast<std::size_t>(outputs); }
};

// The arrays of the parameters stand in this order: weight and bias of each free layer, weight and bias of each
// trunk layer, cuts. Each array has the members first.
struct Plan {
    std::vector<Column> columns;
    std::vector<Layer> free;
    std::vector<Layer> trunk;
    // one per hidden layer of the trunk, reflections applied
    std::vector<Activation> activations;
    Activation free_activation;
    Form form = Form::post;
    WeightMap map = WeightMap::abs;
    int weight_sign = 1;
    int free_components = 0;
    int constrained_components = 0;
    int outputs = 1;
    int members = 1;
    Link link = Link::identity;
    int cuts = 0;
    double center = 0.0;
    double scale = 1.0;

    std::size_t arrays() const { return 2 * (free.size() + trunk.size()) + (cuts > 0 ? 1 : 0); }
    // What a prediction has per row.
    int predictions() const { return link == Link::cumulative ? cuts : outputs; }
};

// How many numbers each array of the parameters holds, all members together, in the order above.
inline std::vector<std::size_t> array_sizes(const Plan& plan) {
    std::vector<std::size_t> sizes;
    const auto members = static_cast<std::size_t>(plan.members);
    for (const auto* branch : {&plan.free, &plan.trunk})
        for (const Layer& layer : *branch) {
            sizes.push_back(members * layer.weights());
            sizes.push_back(members * static_cast<std::size_t>(layer.outputs));
        }
    if (plan.cuts > 0) sizes.push_back(members * static_cast<std::size_t>(plan.cuts));
    return sizes;
}

}  // namespace isotone
