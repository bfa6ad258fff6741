#include "encoded_rows.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace isotone {
namespace {

// encoded inputs stay within this, as in the definition
constexpr double input_bound = 1048576.0;

struct Place {
    int index = 0;
    double fraction = 0.0;
};

Place find(const std::vector<double>& knots, double value) {
    const auto last = static_cast<int>(knots.size()) - 2;
    const auto inner = std::upper_bound(knots.begin() + 1, knots.end() - 1, value);
    const auto index = static_cast<int>(inner - knots.begin()) - 1;
    const auto i = static_cast<std::size_t>(index);
    const double fraction = (value - knots[i]) / (knots[i + 1] - knots[i]);
    return {index, std::clamp(fraction, index == 0 ? -input_bound : 0.0, index == last ? input_bound : 1.0)};
}

double read_number(const Column& column, double value) {
    if (std::isnan(value)) return 0.0;
    const Place place = find(column.knots, value);
    if (column.levels.empty()) return column.sign * place.fraction;
    const auto i = static_cast<std::size_t>(place.index);
    const double level = column.levels[i] + place.fraction * (column.levels[i + 1] - column.levels[i]);
    return column.sign * std::clamp(level, -input_bound, input_bound);
}

Place read_table(const Column& column, double value) {
    if (!column.categorical) return std::isnan(value) ? Place{} : find(column.knots, value);
    if (!(value >= 0.0 && value < column.components)) throw std::invalid_argument("a code is beyond its column's size.");
    return {static_cast<int>(value), 0.0};
}

template <class T>
void encode_row(const Plan& plan, const double* x, EncodedRows<T>& rows) {
    for (std::size_t c = 0; c < plan.columns.size(); ++c) {
        const Column& column = plan.columns[c];
        EncodedBranch<T>& branch = column.direction ? rows.trunk : rows.free;
        if (column.single()) {
            branch.number.push_back(static_cast<T>(read_number(column, x[c])));
            continue;
        }
        const Place place = read_table(column, x[c]);
        branch.index.push_back(place.index);
        branch.fraction.push_back(static_cast<T>(place.fraction));
    }
    for (std::size_t c = 0; c < plan.columns.size(); ++c)
        if (plan.columns[c].missing()) rows.free.number.push_back(std::isnan(x[c]) ? T(1) : T(0));
}

}  // namespace

template <class T>
EncodedRows<T> encode_rows(const Plan& plan, const double* x, const std::int64_t* order, std::int64_t rows) {
    EncodedRows<T> encoded;
    encoded.rows = rows;
    for (const Column& column : plan.columns) {
        EncodedBranch<T>& branch = column.direction ? encoded.trunk : encoded.free;
        ++(column.single() ? branch.numbers : branch.tables);
        if (column.missing()) ++encoded.free.numbers;
    }
    for (EncodedBranch<T>* branch : {&encoded.free, &encoded.trunk}) {
        branch->number.reserve(static_cast<std::size_t>(rows * branch->numbers));
        branch->index.reserve(static_cast<std::size_t>(rows * branch->tables));
        branch->fraction.reserve(static_cast<std::size_t>(rows * branch->tables));
    }
    for (std::int64_t row = 0; row < rows; ++row)
        encode_row(plan, x + order[row] * static_cast<std::int64_t>(plan.columns.size()), encoded);
    return encoded;
}

template EncodedRows<float> encode_rows<float>(const Plan&, const double*, const std::int64_t*, std::int64_t);
template EncodedRows<double> encode_rows<double>(const Plan&, const double*, const std::int64_t*, std::int64_t);

}  // namespace isotone
