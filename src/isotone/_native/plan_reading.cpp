#include "plan_reading.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <utility>

namespace nb = nanobind;

namespace isotone {
namespace {

using Names = std::vector<std::string>;

const Names kinds = {"relu",     "leaky_relu", "relu6",      "elu",   "selu",      "celu",
                     "gelu",     "silu",       "sigmoid",    "tanh",  "exp",       "softsign",
                     "softplus", "logsigmoid", "srelu",      "threshold", "identity"};
const Names forms = {"post", "pre", "constrained"};
const Names maps = {"abs", "square", "softplus", "exp", "clamp"};
const Names links = {"identity", "exp", "sigmoid", "softmax", "cumulative", "sorted"};

template <class Choice>
Choice choose(const Names& names, const std::string& name) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return static_cast<Choice>(i);
    throw std::invalid_argument("the native engine has no '" + name + "'.");
}

template <class T>
T get(nb::handle object, const char* name) {
    return nb::cast<T>(object.attr(name));
}

Column read_column(nb::handle given, int trunk_direction) {
    Column column;
    column.categorical = nb::hasattr(given, "size");
    column.components = get<int>(given, "components");
    column.direction = nb::cast<int>(nb::int_(given.attr("direction")));
    column.sign = column.direction ? column.direction * trunk_direction : 1;
    if (column.categorical) return column;
    column.knots = get<std::vector<double>>(given, "knots");
    if (!given.attr("levels").is_none()) column.levels = get<std::vector<double>>(given, "levels");
    if (get<bool>(given, "missing")) column.slot = 0;
    return column;
}

// Free components are the free columns in order, then the missing slots of all columns in order.
void place_columns(Plan& plan) {
    int free = 0, constrained = 0;
    for (Column& column : plan.columns) {
        int& next = column.direction ? constrained : free;
        column.offset = next;
        next += column.components;
    }
    for (Column& column : plan.columns)
        if (column.slot >= 0) column.slot = free++;
    plan.free_components = free;
    plan.constrained_components = constrained;
}

std::vector<Layer> stack(int inputs, std::vector<int> widths) {
    std::vector<Layer> layers;
    for (const int outputs : widths) layers.push_back({std::exchange(inputs, outputs), outputs});
    return layers;
}

}  // namespace

Activation read_activation(nb::handle given) {
    Activation activation;
    activation.kind = choose<Kind>(kinds, get<std::string>(given, "name"));
    activation.reflected = get<bool>(given, "reflected");
    const auto parameters = get<std::vector<double>>(given, "parameters");
    for (std::size_t i = 0; i < parameters.size() && i < 4; ++i) activation.parameters[i] = parameters[i];
    return activation;
}

Plan read_plan(nb::handle given) {
    Plan plan;
    const int direction = get<int>(given, "trunk_direction");
    for (nb::handle column : given.attr("columns")) plan.columns.push_back(read_column(column, direction));
    place_columns(plan);
    plan.outputs = get<int>(given, "outputs");
    plan.members = get<int>(given, "members");
    auto free_hidden = get<std::vector<int>>(given, "free_hidden");
    auto hidden = get<std::vector<int>>(given, "hidden");
    hidden.push_back(plan.outputs);
    if (plan.free_components > 0) plan.free = stack(plan.free_components, free_hidden);
    const int joined = plan.constrained_components + (plan.free.empty() ? 0 : plan.free.back().outputs);
    plan.trunk = stack(joined, hidden);
    plan.form = choose<Form>(forms, get<std::string>(given, "form"));
    for (nb::handle chosen : given.attr("layer_activations")) plan.activations.push_back(read_activation(chosen));
    plan.free_activation = read_activation(given.attr("free_activation"));
    plan.map = choose<WeightMap>(maps, get<std::string>(given, "constraint"));
    plan.weight_sign = get<int>(given, "weight_sign");
    plan.link = choose<Link>(links, get<std::string>(given, "link"));
    plan.cuts = get<int>(given, "cuts");
    plan.center = get<double>(given, "center");
    plan.scale = get<double>(given, "scale");
    return plan;
}

}  // namespace isotone
