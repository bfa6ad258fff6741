#include "bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "dispatch.hpp"

namespace isotone {
namespace {

// The largest magnitude of each line of a buffer.
using Magnitudes = std::vector<double>;

// Rounding may carry a sum above the bound in exact arithmetic, by far less than this factor.
template <class T>
constexpr double largest_sum = static_cast<double>(std::numeric_limits<T>::max()) / 2;

template <class T>
void check_sums(const Magnitudes& sums, const std::string& where) {
    for (const double sum : sums)
        if (!(sum < largest_sum<T>))
            throw std::invalid_argument("the weights are too large for exact arithmetic: in " + where +
                                        " a sum may reach " + std::to_string(sum) + "; make them smaller.");
}

template <class T>
Magnitudes dense_sums(const Dense<T>& dense, const Magnitudes& inputs) {
    Magnitudes sums;
    for (const T b : dense.bias) sums.push_back(std::abs(static_cast<double>(b)));
    for_weights(dense, [&](int output, std::int32_t line, T weight) {
        const double input = inputs[static_cast<std::size_t>(line / block_rows)];
        sums[static_cast<std::size_t>(output)] += std::abs(static_cast<double>(weight)) * input;
    });
    return sums;
}

// The largest magnitude that one column of a table layer adds to a unit.
template <class T>
double column_sum(const Network<T>& network, const TableLayer<T>& layer, const TableColumn& column, int unit) {
    const auto number = [&](int line) {
        const std::size_t at = column.start + static_cast<std::size_t>(line * layer.width + unit);
        return std::abs(static_cast<double>(layer.numbers[at]));
    };
    if (!column.table) return number(0) * input_bound;
    double largest = 0.0;
    const int segments = network.encodings[static_cast<std::size_t>(column.feature)].size;
    for (int i = 0; i < segments; ++i) {
        const double reach = i == 0 || i + 1 == segments ? input_bound : 1.0;
        largest = std::max(largest, number(2 * i) * reach + number(2 * i + 1));
    }
    return largest;
}

template <class T>
Magnitudes table_sums(const Network<T>& network, const TableLayer<T>& layer) {
    Magnitudes sums;
    for (int unit = 0; unit < layer.outputs; ++unit) {
        double sum = std::abs(static_cast<double>(layer.bias[static_cast<std::size_t>(unit)]));
        for (const TableColumn& column : layer.columns) sum += column_sum(network, layer, column, unit);
        sums.push_back(sum);
    }
    return sums;
}

template <class T>
Magnitudes first_sums(const Network<T>& network, const FirstLayer<T>& first, const Magnitudes& features) {
    Magnitudes sums = dense_sums(first.dense, features);
    if (!first.tabled()) return sums;
    const Magnitudes tables = table_sums(network, first.tables);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += tables[i];
    return sums;
}

// Every activation is largest in magnitude at an end, but for two that dip below zero by less than 0.3.
template <class T>
Magnitudes activated(const Magnitudes& sums, const Activation& activation, const std::string& where) {
    Magnitudes ends;
    for (const double sum : sums) ends.insert(ends.end(), {sum, -sum});
    level().elementwise.value64(activation, static_cast<std::int64_t>(ends.size()), ends.data(), ends.data());
    Magnitudes values;
    for (std::size_t i = 0; i < sums.size(); ++i)
        values.push_back(std::max({std::abs(ends[2 * i]), std::abs(ends[2 * i + 1]), 0.3}));
    check_sums<T>(values, where);
    return values;
}

// The magnitudes of the lines that the next layer reads.
Magnitudes lines_of(Form form, const Magnitudes& values) {
    Magnitudes lines;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (form == Form::post) lines.insert(lines.end(), {values[i], values[i]});
        else if (form == Form::constrained) lines.push_back(values[i]);
        else if (i < values.size() / 2) lines.push_back(values[i] + values[i + values.size() / 2]);
    return lines;
}

template <class T>
Magnitudes free_values(const Network<T>& network, const Member<T>& member, const Magnitudes& features) {
    const Activation& activation = network.plan.free_activation;
    if (network.plan.free.empty()) return {};
    Magnitudes sums = first_sums(network, member.free_first, features);
    for (std::size_t i = 0;; ++i) {
        const std::string where = "layer " + std::to_string(i) + " of the free branch";
        check_sums<T>(sums, where);
        const Magnitudes values = activated<T>(sums, activation, where);
        if (i == member.free.size()) return values;
        sums = dense_sums(member.free[i], values);
    }
}

template <class T>
double check_member(const Network<T>& network, const Member<T>& member) {
    Magnitudes features(static_cast<std::size_t>(network.features), input_bound);
    const Magnitudes free = free_values(network, member, features);
    features.insert(features.end(), free.begin(), free.end());
    Magnitudes sums = first_sums(network, member.trunk_first, features);
    for (std::size_t i = 0;; ++i) {
        const std::string where = "layer " + std::to_string(i) + " of the trunk";
        check_sums<T>(sums, where);
        if (i == member.trunk.size()) return *std::max_element(sums.begin(), sums.end());
        const Magnitudes values = activated<T>(sums, network.plan.activations[i], where);
        sums = dense_sums(member.trunk[i], lines_of(network.plan.form, values));
    }
}

// A sum minus a parameter, as srelu has it, does not overflow either.
void check_parameters(const Activation& activation) {
    for (const double p : activation.parameters)
        if (!(std::abs(p) < largest_sum<float>))
            throw std::invalid_argument("an activation's parameter " + std::to_string(p) +
                                        " is outside the range of exact float32 arithmetic.");
}

}  // namespace

template <class T>
void check_bounds(const Network<T>& network) {
    const Plan& plan = network.plan;
    check_parameters(plan.free_activation);
    for (const Activation& activation : plan.activations) check_parameters(activation);
    double total = 0.0;
    for (const Member<T>& member : network.members) total += check_member(network, member);
    check_sums<T>({total}, "the mean of the members");
    check_sums<double>({std::abs(plan.center) + plan.scale * total}, "center + scale * score");
}

template void check_bounds(const Network<float>&);
template void check_bounds(const Network<double>&);

}  // namespace isotone
