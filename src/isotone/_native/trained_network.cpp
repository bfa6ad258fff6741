#include "trained_network.hpp"

namespace isotone {
namespace {

int padded(int count, int lanes) { return (count + lanes - 1) / lanes * lanes; }

// Where a component of a first layer's input stands: among the dense inputs, or as a row of the table.
struct Seat {
    bool table = false;
    int index = 0;
};

// Seats the components of one branch's columns: numbers and missing slots are dense, wide columns are tables.
std::vector<Seat> seat_columns(const Plan& plan, bool trunk, TrainedLayer& layer) {
    const int components = trunk ? plan.constrained_components : plan.free_components;
    std::vector<Seat> seats(static_cast<std::size_t>(components));
    for (const Column& column : plan.columns) {
        if ((column.direction != 0) != trunk) continue;
        if (column.single()) {
            seats[static_cast<std::size_t>(column.offset)] = {false, layer.from_below + layer.numbers++};
            continue;
        }
        layer.tables.push_back({layer.table_rows, column.components, column.categorical, double(column.sign)});
        for (int i = 0; i < column.components; ++i)
            seats[static_cast<std::size_t>(column.offset + i)] = {true, layer.table_rows++};
    }
    if (!trunk)
        for (const Column& column : plan.columns)
            if (column.missing())
                seats[static_cast<std::size_t>(column.slot)] = {false, layer.from_below + layer.numbers++};
    return seats;
}

std::size_t take(std::size_t& next, std::size_t count) { return (next += count) - count; }

void place(TrainedNetwork& network, TrainedLayer& layer, int lanes) {
    layer.input_stride = padded(layer.dense(), lanes);
    layer.output_stride = padded(layer.outputs, lanes);
    layer.weight = take(network.size, layer.weight_size());
    layer.bias = take(network.size, static_cast<std::size_t>(layer.output_stride));
    layer.table = take(network.size, layer.table_size());
    layer.copy = take(network.copy_size, static_cast<std::size_t>(layer.dense()) * layer.output_stride);
    // two sets: a split layer has one for each sign of the weights
    layer.sums = take(network.sums_size, 2 * layer.table_size());
}

void list_places(TrainedNetwork& network, const TrainedLayer& layer, const std::vector<Seat>& seats) {
    std::vector<std::size_t> weights, biases;
    for (int j = 0; j < layer.outputs; ++j) {
        const auto row = static_cast<std::size_t>(j);
        for (const Seat& seat : seats) {
            const auto index = static_cast<std::size_t>(seat.index);
            weights.push_back(seat.table ? layer.table + index * layer.output_stride + row
                                         : layer.weight + row * layer.input_stride + index);
        }
        biases.push_back(layer.bias + row);
    }
    network.places.push_back(weights);
    network.places.push_back(biases);
}

void choose_free(const Plan& plan, int index, TrainedLayer& layer) {
    layer.junction = index ? Junction::single : Junction::none;
    layer.activation = plan.free_activation;
}

void choose_trunk(const Plan& plan, int index, TrainedLayer& layer) {
    const bool last = index + 1 == static_cast<int>(plan.trunk.size());
    if (plan.form == Form::post && index > 0) layer.reading = Reading::switched;
    if (plan.form == Form::pre && !last) layer.reading = Reading::split;
    layer.mapped = layer.reading == Reading::affine;
    layer.trunk = true;
    if (index == 0) {
        layer.junction = plan.free.empty() ? Junction::none : Junction::single;
        layer.activation = plan.free_activation;
        return;
    }
    layer.activation = plan.activations[static_cast<std::size_t>(index - 1)];
    layer.junction = plan.form == Form::post  ? Junction::sides
                     : plan.form == Form::pre ? Junction::difference
                                              : Junction::single;
}

// Adds one layer above those there are; a first layer also reads the columns of its branch.
void add_layer(TrainedNetwork& network, const Plan& plan, const Layer& sizes, int index, bool trunk, int lanes) {
    TrainedLayer layer;
    trunk ? choose_trunk(plan, index, layer) : choose_free(plan, index, layer);
    if (layer.junction != Junction::none) {
        layer.below = static_cast<int>(network.layers.size()) - 1;
        layer.from_below = network.layers.back().outputs;
    }
    layer.outputs = sizes.outputs;
    std::vector<Seat> seats;
    if (index == 0) seats = seat_columns(plan, trunk, layer);
    for (int i = 0; i < layer.from_below; ++i) seats.push_back({false, i});
    place(network, layer, lanes);
    list_places(network, layer, seats);
    network.layers.push_back(layer);
}

}  // namespace

TrainedNetwork lay_out(const Plan& plan, int lanes) {
    TrainedNetwork network;
    network.map = plan.map;
    network.weight_sign = plan.weight_sign;
    network.outputs = plan.outputs;
    network.cuts = plan.cuts;
    for (std::size_t i = 0; i < plan.free.size(); ++i)
        add_layer(network, plan, plan.free[i], static_cast<int>(i), false, lanes);
    for (std::size_t i = 0; i < plan.trunk.size(); ++i)
        add_layer(network, plan, plan.trunk[i], static_cast<int>(i), true, lanes);
    network.cut_offset = take(network.size, static_cast<std::size_t>(padded(plan.cuts, lanes)));
    if (plan.cuts > 0) {
        network.places.emplace_back();
        for (int k = 0; k < plan.cuts; ++k)
            network.places.back().push_back(network.cut_offset + static_cast<std::size_t>(k));
    }
    network.gradient_size = network.size;
    for (TrainedLayer& layer : network.layers) layer.bucket = take(network.gradient_size, layer.bucket_size());
    return network;
}

}  // namespace isotone
