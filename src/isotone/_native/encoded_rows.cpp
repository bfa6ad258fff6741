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

// Where a branch's columns go, each to the place after the one before it.
template <class T>
struct Writer {
    EncodedBranch<T>& branch;
    const std::int64_t* order;
    std::int64_t rows;
    int number = 0;
    int table = 0;

    template <class Read>
    void write_number(const Numbers& x, Read read) {
        T* to = branch.number.data() + number++;
        for (std::int64_t row = 0; row < rows; ++row) to[row * branch.numbers] = read(x[order[row]]);
    }

    void write_table(const Column& column, const Numbers& x) {
        std::int32_t* index = branch.index.data() + table;
        T* fraction = branch.fraction.data() + table++;
        for (std::int64_t row = 0; row < rows; ++row) {
            const Place place = read_table(column, x[order[row]]);
            index[row * branch.tables] = place.index;
            fraction[row * branch.tables] = static_cast<T>(place.fraction);
        }
    }
};

template <class T>
EncodedRows<T> with_room(const Plan& plan, std::int64_t rows) {
    EncodedRows<T> encoded;
    encoded.rows = rows;
    for (const Column& column : plan.columns) {
        EncodedBranch<T>& branch = column.direction ? encoded.trunk : encoded.free;
        ++(column.single() ? branch.numbers : branch.tables);
        if (column.missing()) ++encoded.free.numbers;
    }
    for (EncodedBranch<T>* branch : {&encoded.free, &encoded.trunk}) {
        branch->number.resize(static_cast<std::size_t>(rows * branch->numbers));
        branch->index.resize(static_cast<std::size_t>(rows * branch->tables));
        branch->fraction.resize(static_cast<std::size_t>(rows * branch->tables));
    }
    return encoded;
}

}  // namespace

// Column by column: a table that stands so is read in passes, and not in leaps.
template <class T>
EncodedRows<T> encode_rows(const Plan& plan, const std::vector<Numbers>& x, const std::int64_t* order,
                           std::int64_t rows) {
    auto encoded = with_room<T>(plan, rows);
    Writer<T> free{encoded.free, order, rows}, trunk{encoded.trunk, order, rows};
    for (std::size_t c = 0; c < plan.columns.size(); ++c) {
        const Column& column = plan.columns[c];
        Writer<T>& writer = column.direction ? trunk : free;
        if (column.single())
            writer.write_number(x[c], [&column](double value) { return static_cast<T>(read_number(column, value)); });
        else
            writer.write_table(column, x[c]);
    }
    for (std::size_t c = 0; c < plan.columns.size(); ++c)
        if (plan.columns[c].missing())
            free.write_number(x[c], [](double value) { return std::isnan(value) ? T(1) : T(0); });
    return encoded;
}

template EncodedRows<float> encode_rows<float>(const Plan&, const std::vector<Numbers>&, const std::int64_t*,
                                               std::int64_t);
template EncodedRows<double> encode_rows<double>(const Plan&, const std::vector<Numbers>&, const std::int64_t*,
                                                 std::int64_t);

}  // namespace isotone
