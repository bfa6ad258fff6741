// The derivative of the latent scores by the columns, in double. Along a constrained column every product has the
// column's sign, so every sum of products has it too: no rounding can turn it.
#pragma once

#include "scores.hpp"

namespace isotone::ISOTONE_LEVEL {

// to[line] += weight * from[sum], for every weight of the layer.
template <class T>
inline void spread(const Dense<T>& dense, int padded, const double* from, double* to) {
    for_weights(dense, [&](int output, std::int32_t at, T number) {
        const Doubles weight = splat<Doubles>(static_cast<double>(number));
        const double* sum = from + output * block_rows;
        double* line = to + at;
        for (int r = 0; r < padded; r += double_lanes)
            store(line + r, load<Doubles>(line + r) + weight * load<Doubles>(sum + r));
    });
}

// The sum of products, in eight parts at every level.
template <class T>
inline double product_sum(const T* weights, const double* by_unit, int units) {
    double part[8] = {};
    for (int unit = 0; unit < units; unit += 8)
        for (int i = 0; i < 8; ++i) part[i] += static_cast<double>(weights[unit + i]) * by_unit[unit + i];
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

// Adds the derivative by each feature that a table layer reads; a segment's slope is its derivative.
template <class T>
inline void spread_tables(const TableLayer<T>& layer, int padded, const std::int32_t* index, const double* from,
                          double* by_unit, double* to) {
    for (int unit = 0; unit < layer.width; ++unit) by_unit[unit] = 0.0;
    for (int r = 0; r < padded; ++r) {
        for (int unit = 0; unit < layer.outputs; ++unit) by_unit[unit] = from[unit * block_rows + r];
        for (const TableColumn& column : layer.columns) {
            const int at = column.feature * block_rows + r;
            const T* line = layer.numbers.data() + column.start + (column.table ? 2 * layer.width * index[at] : 0);
            to[at] += product_sum(line, by_unit, layer.width);
        }
    }
}

template <class T>
inline void spread_first(const FirstLayer<T>& first, int padded, const Workspace<T>& work, GradientSpace<T>& space) {
    spread(first.dense, padded, space.by_sum, space.by_feature);
    if (first.tabled())
        spread_tables(first.tables, padded, work.index, space.by_sum, space.by_unit, space.by_feature);
}

// Derivative by sums from the derivative by lines, through the activation at those sums.
template <Kind kind, class T>
inline void unpass_lines(const Activation& activation, Form form, int count, int padded, const T* sums,
                         const double* lines, double* by_sum) {
    const Setting<Doubles> p(activation);
    const double flip = activation.reflected ? -1.0 : 1.0;
    const auto slope_at = [&](const T* at, double side) {
        Doubles x;
        for (int i = 0; i < double_lanes; ++i) x[i] = static_cast<double>(at[i]);
        return plain_slope<kind>(x * (flip * side), p);
    };
    for (int j = 0; j < count; ++j)
        for (int r = 0; r < padded; r += double_lanes) {
            const T* at = sums + j * block_rows + r;
            double* to = by_sum + j * block_rows + r;
            if (form == Form::post) {
                const Doubles plus = load<Doubles>(lines + 2 * j * block_rows + r);
                const Doubles minus = load<Doubles>(lines + (2 * j + 1) * block_rows + r);
                store(to, plus * slope_at(at, 1.0) - minus * slope_at(at, -1.0));
                continue;
            }
            const Doubles by_line = load<Doubles>(lines + j * block_rows + r);
            store(to, by_line * slope_at(at, 1.0));
            if (form == Form::pre) store(to + count * block_rows, -by_line * slope_at(at + count * block_rows, 1.0));
        }
}

template <class T>
inline void unpass(const Activation& activation, Form form, int count, int padded, const T* sums,
                   const double* lines, double* by_sum) {
    visit(activation.kind,
          [&](auto chosen) { unpass_lines<chosen.kind>(activation, form, count, padded, sums, lines, by_sum); });
}

// Forward through one member, keeping every layer's sums.
template <class T>
inline void score_and_keep(const Network<T>& network, const Member<T>& member, int padded, Workspace<T>& work,
                           GradientSpace<T>& space) {
    const Plan& plan = network.plan;
    T* const sums = work.sums;
    if (!plan.free.empty()) {
        work.sums = space.kept_free[0];
        form_first(member.free_first, padded, work);
        for (std::size_t i = 0; i < plan.free.size(); ++i) {
            work.sums = space.kept_free[i];
            if (i > 0) form_sums<false>(member.free[i - 1], padded, work.lines, work.sums);
            T* to = i + 1 == plan.free.size() ? work.features + network.features * block_rows : work.lines;
            pass<Passing::single>(plan.free_activation, plan.free[i].outputs, padded, work.sums, to);
        }
    }
    work.sums = space.kept_trunk[0];
    form_first(member.trunk_first, padded, work);
    for (std::size_t i = 0; i < member.trunk.size(); ++i) {
        work.sums = space.kept_trunk[i];
        pass_hidden(plan, i, padded, work);
        work.sums = space.kept_trunk[i + 1];
        form_sums<false>(member.trunk[i], padded, work.lines, work.sums);
    }
    work.sums = sums;
}

inline void clear(double* lines, int count) {
    std::memset(lines, 0, sizeof(double) * static_cast<std::size_t>(count * block_rows));
}

// Backward from one output to the features; space.by_feature is added to.
template <class T>
inline void return_output(const Network<T>& network, const Member<T>& member, int output, int padded,
                          Workspace<T>& work, GradientSpace<T>& space) {
    const Plan& plan = network.plan;
    clear(space.by_sum, network.widest);
    for (int r = 0; r < padded; ++r) space.by_sum[output * block_rows + r] = 1.0;
    for (std::size_t i = member.trunk.size(); i-- > 0;) {
        clear(space.by_line, network.widest);
        spread(member.trunk[i], padded, space.by_sum, space.by_line);
        unpass(plan.activations[i], plan.form, plan.trunk[i].outputs, padded, space.kept_trunk[i], space.by_line,
               space.by_sum);
    }
    spread_first(member.trunk_first, padded, work, space);
    if (plan.free.empty()) return;
    const double* by_line = space.by_feature + network.features * block_rows;
    for (std::size_t i = plan.free.size(); i-- > 0;) {
        unpass(plan.free_activation, Form::constrained, plan.free[i].outputs, padded, space.kept_free[i], by_line,
               space.by_sum);
        if (i == 0) break;
        clear(space.by_line, network.widest);
        spread(member.free[i - 1], padded, space.by_sum, space.by_line);
        by_line = space.by_line;
    }
    spread_first(member.free_first, padded, work, space);
}

// How fast a column's feature moves with the column; zero where it is missing or beyond a bound.
inline double column_rate(const Encoding& encoding, double x) {
    if (encoding.categorical || !(x == x)) return 0.0;
    std::size_t i = 0;
    const std::size_t last = encoding.rates.size() - 1;
    while (i < last && x >= encoding.knots[i + 1]) ++i;
    const double come = (x - encoding.knots[i]) * encoding.rates[i];
    if (come < -input_bound || come > input_bound) return 0.0;
    if (encoding.levels.empty()) return encoding.rates[i];
    const double level = encoding.levels[i] + come * encoding.rises[i];
    return level < -input_bound || level > input_bound ? 0.0 : encoding.rates[i] * encoding.rises[i];
}

template <class T>
inline double raw_value(const Workspace<T>& work, int at) {
    return work.narrow ? static_cast<double>(reinterpret_cast<const float*>(work.raw)[at]) : work.raw[at];
}

// `out` has for every row, for every output, a number per column.
template <class T>
void gradient_block(const Network<T>& network, int rows, Workspace<T>& work, GradientSpace<T>& space, double* out) {
    const int padded = padded_rows<T>(rows), columns = network.columns(), outputs = network.plan.outputs;
    const double factor = network.plan.scale / network.plan.members;
    for (int i = 0; i < rows * outputs * columns; ++i) out[i] = 0.0;
    for (const Member<T>& member : network.members) {
        score_and_keep(network, member, padded, work, space);
        for (int output = 0; output < outputs; ++output) {
            clear(space.by_feature, space.features);
            return_output(network, member, output, padded, work, space);
            for (int r = 0; r < rows; ++r)
                for (int c = 0; c < columns; ++c)
                    out[(r * outputs + output) * columns + c] += space.by_feature[c * block_rows + r];
        }
    }
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            const Encoding& encoding = network.encodings[static_cast<std::size_t>(c)];
            const double rate = factor * column_rate(encoding, raw_value(work, c * block_rows + r));
            for (int output = 0; output < outputs; ++output) out[(r * outputs + output) * columns + c] *= rate;
        }
}

}  // namespace isotone::ISOTONE_LEVEL
