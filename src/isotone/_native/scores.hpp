// One block through one member.
#pragma once

#include "dense.hpp"
#include "encode.hpp"
#include "predict_kernels.hpp"
#include "switching.hpp"
#include "tables.hpp"

namespace isotone::ISOTONE_LEVEL {

template <class T>
constexpr int padded_rows(int rows) {
    return (rows + lanes<T> - 1) / lanes<T> * lanes<T>;
}

template <class T, class X>
inline void encode_slot(const X* raw, int padded, T* slot) {
    for (int r = 0; r < padded; ++r) slot[r] = raw[r] == raw[r] ? T(0) : T(1);
}

template <class T, class X>
bool encode_block(const Network<T>& network, const X* x, int rows, Workspace<T>& work) {
    const int padded = padded_rows<float>(rows);
    work.narrow = sizeof(X) == sizeof(float);
    X* const all = reinterpret_cast<X*>(work.raw);
    read_columns(x, network.columns(), rows, padded, all);
    bool fine = true;
    for (int c = 0; c < network.columns(); ++c) {
        const Encoding& encoding = network.encodings[static_cast<std::size_t>(c)];
        const X* raw = all + c * block_rows;
        T* feature = work.features + c * block_rows;
        fine = encode_column(encoding, raw, padded, work.index + c * block_rows, feature) && fine;
        if (encoding.missing) encode_slot(raw, padded, work.features + encoding.slot * block_rows);
    }
    return fine;
}

template <class T>
inline void form_first(const FirstLayer<T>& first, int padded, Workspace<T>& work) {
    if (!first.tabled()) return form_sums<false>(first.dense, padded, work.features, work.sums);
    form_table_sums(first.tables, padded, work.features, work.index, work.by_row, work.sums);
    form_sums<true>(first.dense, padded, work.features, work.sums);
}

// The free branch leaves its outputs after the features.
template <class T>
inline void score_free(const Network<T>& network, const Member<T>& member, int padded, Workspace<T>& work) {
    const Plan& plan = network.plan;
    T* outputs = work.features + network.features * block_rows;
    form_first(member.free_first, padded, work);
    for (std::size_t i = 0; i < plan.free.size(); ++i) {
        if (i > 0) form_sums<false>(member.free[i - 1], padded, work.lines, work.sums);
        T* to = i + 1 == plan.free.size() ? outputs : work.lines;
        pass<Passing::single>(plan.free_activation, plan.free[i].outputs, padded, work.sums, to);
    }
}

template <class T>
inline void pass_hidden(const Plan& plan, std::size_t i, int padded, Workspace<T>& work) {
    const Activation& activation = plan.activations[i];
    const int count = plan.trunk[i].outputs;
    switch (plan.form) {
        case Form::post: return pass<Passing::paired>(activation, count, padded, work.sums, work.lines);
        case Form::pre: return pass<Passing::difference>(activation, count, padded, work.sums, work.lines);
        case Form::constrained: return pass<Passing::single>(activation, count, padded, work.sums, work.lines);
    }
}

template <class T>
void score_block(const Network<T>& network, int index, int rows, Workspace<T>& work) {
    const Member<T>& member = network.members[static_cast<std::size_t>(index)];
    const int padded = padded_rows<T>(rows);
    if (!network.plan.free.empty()) score_free(network, member, padded, work);
    form_first(member.trunk_first, padded, work);
    for (std::size_t i = 0; i < member.trunk.size(); ++i) {
        pass_hidden(network.plan, i, padded, work);
        form_sums<false>(member.trunk[i], padded, work.lines, work.sums);
    }
}

// The members are added in order, then divided by their number: each step never decreases.
template <class T>
void average_members(const Network<T>& network, int rows, Workspace<T>& work) {
    using V = Lanes<T>;
    const int members = network.plan.members, numbers = network.plan.outputs * block_rows;
    const V count = splat<V>(static_cast<T>(members));
    score_block(network, 0, rows, work);
    for (int i = 0; i < numbers; i += lanes<T>) store(work.latent + i, load<V>(work.sums + i));
    for (int member = 1; member < members; ++member) {
        score_block(network, member, rows, work);
        for (int i = 0; i < numbers; i += lanes<T>)
            store(work.latent + i, load<V>(work.latent + i) + load<V>(work.sums + i));
    }
    for (int i = 0; i < numbers; i += lanes<T>) store(work.latent + i, load<V>(work.latent + i) / count);
}

}  // namespace isotone::ISOTONE_LEVEL
