// From latent scores to predictions, in double. Every link but softmax never decreases in any latent score.
#pragma once

#include "link_functions.hpp"
#include "lanes.hpp"
#include "scores.hpp"

namespace isotone::ISOTONE_LEVEL {

template <class F>
[[gnu::always_inline]] inline void map_line(int padded, double* line, F f) {
    for (int r = 0; r < padded; r += double_lanes) store(line + r, f(load<Doubles>(line + r)));
}

// Latent scores of all outputs, transformed.
template <class T>
inline void transform(const Plan& plan, int padded, const T* latent, double* line) {
    for (int j = 0; j < plan.outputs; ++j, latent += block_rows, line += block_rows)
        for (int r = 0; r < padded; ++r) line[r] = plan.center + plan.scale * static_cast<double>(latent[r]);
}

// P(y > k) reads latent - cut as a float, since on floats the sigmoid is checked.
template <class T>
inline void exceedances(const Network<T>& network, int padded, const T* latent, double* line) {
    for (int k = 0; k < network.plan.cuts; ++k, line += block_rows) {
        const double cut = network.cuts[static_cast<std::size_t>(k)];
        for (int r = 0; r < padded; ++r) {
            const double above = static_cast<double>(latent[r]) - cut;
            line[r] = static_cast<double>(static_cast<T>(above));
        }
        map_line(padded, line, linked_sigmoid);
    }
}

inline void softmax(int outputs, int padded, double* line) {
    for (int r = 0; r < padded; r += double_lanes) {
        Doubles largest = load<Doubles>(line + r), sum{};
        for (int j = 1; j < outputs; ++j) largest = max(largest, load<Doubles>(line + j * block_rows + r));
        for (int j = 0; j < outputs; ++j) {
            const Doubles e = exp_of(load<Doubles>(line + j * block_rows + r) - largest);
            store(line + j * block_rows + r, e);
            sum = sum + e;
        }
        for (int j = 0; j < outputs; ++j)
            store(line + j * block_rows + r, load<Doubles>(line + j * block_rows + r) / sum);
    }
}

// Neighbours exchange until all are in order. Every output of a sort never decreases in any of its inputs.
inline void sort_outputs(int outputs, int padded, double* line) {
    for (int last = outputs - 1; last > 0; --last)
        for (int j = 0; j < last; ++j)
            for (int r = 0; r < padded; r += double_lanes) {
                double* at = line + j * block_rows + r;
                const Doubles a = load<Doubles>(at), b = load<Doubles>(at + block_rows);
                store(at, b < a ? b : a);
                store(at + block_rows, b < a ? a : b);
            }
}

template <class T>
void link_block(const Network<T>& network, int rows, Workspace<T>& work) {
    const Plan& plan = network.plan;
    const int padded = padded_rows<T>(rows);
    double* line = work.predictions;
    if (plan.link == Link::cumulative) return exceedances(network, padded, work.latent, line);
    transform(plan, padded, work.latent, line);
    if (plan.link == Link::softmax) return softmax(plan.outputs, padded, line);
    if (plan.link == Link::sorted) return sort_outputs(plan.outputs, padded, line);
    for (int j = 0; j < plan.outputs; ++j)
        if (plan.link == Link::exp) map_line(padded, line + j * block_rows, linked_exp);
        else if (plan.link == Link::sigmoid) map_line(padded, line + j * block_rows, linked_sigmoid);
}

}  // namespace isotone::ISOTONE_LEVEL
