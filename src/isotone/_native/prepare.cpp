#include "prepare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "bounds.hpp"
#include "effective.hpp"
#include "rounding.hpp"

namespace isotone {
namespace {

int line(int index) { return index * block_rows; }

int padded(int width) { return (width + widest_lanes - 1) / widest_lanes * widest_lanes; }

// Which part of the weights a sum takes: all, or for a pre-switch those of one sign.
enum class Part { all, rising, falling };

template <class T>
bool takes(Part part, T weight) {
    return part == Part::all || (weight >= 0) == (part == Part::rising);
}

// A layer's effective weights, outputs by inputs, and its bias.
template <class T>
struct Weights {
    Layer shape;
    std::vector<T> weight;
    const T* bias;

    const T* row(int output) const { return weight.data() + static_cast<std::size_t>(output) * shape.inputs; }
};

// The inputs of a layer: for each the line it stands in, its column of the weight matrix, and the sign that its
// column of the data gives to its weights.
struct Inputs {
    struct Input {
        int line;
        int column;
        int sign;
    };
    std::vector<Input> all;
    // whether each has a second line for weights below zero
    bool paired = false;
};

// Adding zero makes +0 of -0, so that the sign of a weight is that of its value.
template <class T>
T signed_weight(T weight, int sign) {
    return weight * static_cast<T>(sign) + T(0);
}

template <class T>
void add_grid(Dense<T>& dense, const Weights<T>& weights, const Inputs& inputs) {
    dense.grid.paired = inputs.paired;
    for (const auto& input : inputs.all) dense.grid.lines.push_back(input.line);
    for (int first = 0; first < dense.outputs; first += tile_width)
        for (const auto& input : inputs.all)
            for (int j = first; j < std::min(first + tile_width, dense.outputs); ++j)
                dense.grid.weights.push_back(signed_weight(weights.row(j)[input.column], input.sign));
}

template <class T>
void add_lists(Dense<T>& dense, const Weights<T>& weights, const Inputs& inputs, Part part) {
    for (int j = 0; j < weights.shape.outputs; ++j) {
        for (const auto& input : inputs.all) {
            const T w = weights.row(j)[input.column];
            if (takes(part, w)) dense.lists.terms.push_back({input.line, signed_weight(w, input.sign)});
        }
        dense.lists.ends.push_back(static_cast<std::int32_t>(dense.lists.terms.size()));
    }
}

// A pre-switch forms two sums per output: first all of the weights >= 0, then all of the others.
template <class T>
Dense<T> dense_of(const Weights<T>& weights, const Inputs& inputs, bool split) {
    Dense<T> dense;
    for (int part = 0; part < (split ? 2 : 1); ++part) {
        dense.outputs += weights.shape.outputs;
        dense.bias.insert(dense.bias.end(), weights.bias, weights.bias + weights.shape.outputs);
        if (split) add_lists(dense, weights, inputs, part == 0 ? Part::rising : Part::falling);
    }
    if (!split) add_grid(dense, weights, inputs);
    return dense;
}

// The largest slope in magnitude, at most |slope|, with which a segment that starts at `start` ends no further than
// the next one starts.
template <class T>
T slope_within(T slope, T start, T next) {
    const auto overshoots = [&](T candidate) {
        const T end = candidate + start;
        return slope >= 0 ? end > next : end < next;
    };
    if (!overshoots(slope)) return slope;
    T within = next - start;
    while (overshoots(within)) within = std::nextafter(within, T(0));
    return std::abs(within) < std::abs(slope) ? within : slope;
}

template <class T>
struct TableBuilder {
    const Network<T>& network;
    const Weights<T>& weights;
    const std::vector<Part>& parts;
    TableLayer<T> layer;

    T* append_lines(int lines) {
        const std::size_t start = layer.numbers.size();
        layer.numbers.resize(start + static_cast<std::size_t>(lines * layer.width));
        return layer.numbers.data() + start;
    }

    // Weight of unit u for an input; a unit of a pre-switch has the weights of one sign, zero for the others.
    T weight(int unit, int input, int sign) const {
        const int outputs = weights.shape.outputs;
        const T w = weights.row(unit % outputs)[input];
        return takes(parts[static_cast<std::size_t>(unit / outputs)], w) ? signed_weight(w, sign) : T(0);
    }

    void add_single(int feature, int input, int sign) {
        layer.columns.push_back({feature, false, layer.numbers.size()});
        T* line = append_lines(1);
        for (int unit = 0; unit < layer.outputs; ++unit) line[unit] = weight(unit, input, sign);
    }

    void add_expanded(int feature, const Column& column) {
        layer.columns.push_back({feature, true, layer.numbers.size()});
        const int segments = column.components;
        T* lines = append_lines(2 * (segments + 1));
        for (int unit = 0; unit < layer.outputs; ++unit) {
            double sum = 0.0;
            for (int i = 0; i < segments; ++i) {
                T* slope = lines + 2 * i * layer.width + unit;
                T* start = slope + layer.width;
                *slope = weight(unit, column.offset + i, column.sign);
                *start = static_cast<T>(sum);
                sum += static_cast<double>(*slope);
                if (column.direction && i + 1 < segments) *slope = slope_within(*slope, *start, static_cast<T>(sum));
            }
        }
    }

    void add_categorical(int feature, const Column& column) {
        layer.columns.push_back({feature, true, layer.numbers.size()});
        T* lines = append_lines(2 * (column.components + 1));
        for (int code = 0; code < column.components; ++code)
            for (int unit = 0; unit < layer.outputs; ++unit)
                lines[(2 * code + 1) * layer.width + unit] = weight(unit, column.offset + code, 1);
    }

    void add(int feature, const Column& column) {
        if (column.categorical) add_categorical(feature, column);
        else if (column.single()) add_single(feature, column.offset, column.sign);
        else add_expanded(feature, column);
    }
};

bool in_branch(const Column& column, bool trunk) { return (column.direction != 0) == trunk; }

bool needs_tables(const Plan& plan, bool trunk) {
    return std::any_of(plan.columns.begin(), plan.columns.end(),
                       [&](const Column& column) { return in_branch(column, trunk) && !column.single(); });
}

template <class T>
TableLayer<T> tables_of(const Network<T>& network, const Weights<T>& weights, bool trunk, bool switched) {
    const std::vector<Part> parts = switched ? std::vector{Part::rising, Part::falling} : std::vector{Part::all};
    TableBuilder<T> builder{network, weights, parts, {}};
    TableLayer<T>& layer = builder.layer;
    layer.outputs = weights.shape.outputs * static_cast<int>(parts.size());
    layer.width = padded(layer.outputs);
    for (std::size_t part = 0; part < parts.size(); ++part)
        layer.bias.insert(layer.bias.end(), weights.bias, weights.bias + weights.shape.outputs);
    layer.bias.resize(static_cast<std::size_t>(layer.width));
    for (int c = 0; c < network.columns(); ++c)
        if (in_branch(network.plan.columns[c], trunk)) builder.add(c, network.plan.columns[c]);
    for (int c = 0; c < network.columns(); ++c) {
        const Column& column = network.plan.columns[c];
        if (!trunk && column.missing()) builder.add_single(network.encodings[c].slot, column.slot, 1);
    }
    return std::move(builder.layer);
}

// The features that enter a first layer as ordinary inputs, in the order of the weight matrix.
template <class T>
Inputs first_inputs(const Network<T>& network, bool trunk, bool tabled) {
    Inputs inputs;
    const Plan& plan = network.plan;
    for (int c = 0; c < network.columns() && !tabled; ++c)
        if (in_branch(plan.columns[c], trunk))
            inputs.all.push_back({line(c), plan.columns[c].offset, plan.columns[c].sign});
    for (int c = 0; c < network.columns() && !tabled && !trunk; ++c) {
        const int slot = network.encodings[c].slot;
        if (slot >= 0) inputs.all.push_back({line(slot), plan.columns[c].slot, 1});
    }
    const int joined = trunk && !plan.free.empty() ? plan.free.back().outputs : 0;
    for (int k = 0; k < joined; ++k)
        inputs.all.push_back({line(network.features + k), plan.constrained_components + k, 1});
    return inputs;
}

template <class T>
FirstLayer<T> first_layer(const Network<T>& network, const Weights<T>& weights, bool trunk, bool switched) {
    FirstLayer<T> first;
    const bool tabled = needs_tables(network.plan, trunk);
    if (tabled) first.tables = tables_of(network, weights, trunk, switched);
    first.dense = dense_of(weights, first_inputs(network, trunk, tabled), switched);
    return first;
}

// Inputs from the layer before: one line each, or two for a post-switch: s(x) and s(-x).
Inputs hidden_inputs(int count, bool paired) {
    Inputs inputs;
    inputs.paired = paired;
    for (int k = 0; k < count; ++k) inputs.all.push_back({line(paired ? 2 * k : k), k, 1});
    return inputs;
}

// The effective weights of trunk layer i.
template <class T>
std::vector<T> trunk_weights(const Plan& plan, std::size_t i, const T* raw) {
    const std::size_t count = plan.trunk[i].weights();
    const bool switched = plan.form == Form::post ? i > 0 : plan.form == Form::pre && i < plan.activations.size();
    if (switched) return {raw, raw + count};
    std::vector<T> effective = mapped_weights(plan.map, raw, count);
    if (plan.weight_sign < 0)
        for (T& w : effective) w = -w;
    return effective;
}

template <class T>
struct MemberBuilder {
    const Network<T>& network;
    const std::vector<const T*>& arrays;
    std::size_t index;

    Weights<T> weights(std::size_t array, const Layer& layer, const std::vector<T>& effective) const {
        return {layer, effective, arrays[array + 1] + index * static_cast<std::size_t>(layer.outputs)};
    }
    const T* raw(std::size_t array, const Layer& layer) const { return arrays[array] + index * layer.weights(); }

    void build_free(Member<T>& member) const {
        const Plan& plan = network.plan;
        for (std::size_t i = 0; i < plan.free.size(); ++i) {
            const T* from = raw(2 * i, plan.free[i]);
            const auto all = weights(2 * i, plan.free[i], {from, from + plan.free[i].weights()});
            if (i == 0) member.free_first = first_layer(network, all, false, false);
            else member.free.push_back(dense_of(all, hidden_inputs(plan.free[i].inputs, false), false));
        }
    }

    void build_trunk(Member<T>& member) const {
        const Plan& plan = network.plan;
        for (std::size_t i = 0; i < plan.trunk.size(); ++i) {
            const std::size_t array = 2 * (plan.free.size() + i);
            const Layer& layer = plan.trunk[i];
            const auto all = weights(array, layer, trunk_weights(plan, i, raw(array, layer)));
            const bool split = plan.form == Form::pre && i < plan.activations.size();
            if (i == 0) member.trunk_first = first_layer(network, all, true, split);
            else member.trunk.push_back(dense_of(all, hidden_inputs(layer.inputs, plan.form == Form::post), split));
        }
    }
};

Encoding encoding_of(const Column& column) {
    Encoding encoding;
    encoding.categorical = column.categorical;
    encoding.missing = column.missing();
    encoding.table = !column.single();
    encoding.size = column.components;
    encoding.knots = column.knots;
    encoding.levels = column.levels;
    for (std::size_t i = 0; i + 1 < column.knots.size(); ++i) {
        const double width = column.knots[i + 1] - column.knots[i];
        if (!std::isfinite(width) || !std::isfinite(1.0 / width))
            throw std::invalid_argument("knots are too near or too far apart to be told apart in double: " +
                                        std::to_string(column.knots[i]) + " and " +
                                        std::to_string(column.knots[i + 1]) + ".");
        encoding.rates.push_back(1.0 / width);
        if (!column.levels.empty()) encoding.rises.push_back(column.levels[i + 1] - column.levels[i]);
    }
    return encoding;
}

template <class T>
void measure(Network<T>& network) {
    const Plan& plan = network.plan;
    for (const Column& column : plan.columns) network.encodings.push_back(encoding_of(column));
    for (Encoding& encoding : network.encodings)
        if (encoding.missing) encoding.slot = network.columns() + network.slots++;
    network.features = network.columns() + network.slots;
    for (const auto* branch : {&plan.free, &plan.trunk})
        for (const Layer& layer : *branch) network.widest = std::max(network.widest, padded(2 * layer.outputs));
}

// The mean of the members' cut points; each member's rise by softplus, so the mean does not decrease.
template <class T>
std::vector<double> shared_cuts(const Plan& plan, const T* raw) {
    const auto count = static_cast<std::size_t>(plan.cuts);
    std::vector<double> mean(count, 0.0);
    for (int member = 0; member < plan.members; ++member, raw += count) {
        const std::vector<double> own(raw, raw + count);
        const std::vector<double> steps = mapped_weights(WeightMap::softplus, own.data(), count);
        double cut = own[0];
        for (std::size_t k = 0; k < count; ++k) {
            if (k > 0) cut += steps[k];
            mean[k] += cut;
        }
    }
    for (double& cut : mean) cut /= plan.members;
    return mean;
}

}  // namespace

template <class T>
Network<T> prepare(const Plan& plan, const std::vector<const T*>& arrays) {
    const PlainRounding plain;
    Network<T> network;
    network.plan = plan;
    measure(network);
    for (int m = 0; m < plan.members; ++m) {
        const MemberBuilder<T> builder{network, arrays, static_cast<std::size_t>(m)};
        Member<T> member;
        builder.build_free(member);
        builder.build_trunk(member);
        network.members.push_back(std::move(member));
    }
    if (plan.cuts > 0) network.cuts = shared_cuts(plan, arrays.back());
    check_bounds(network);
    return network;
}

template Network<float> prepare(const Plan&, const std::vector<const float*>&);
template Network<double> prepare(const Plan&, const std::vector<const double*>&);

}  // namespace isotone
