// The maps that make a free weight a non-negative one, as the arithmetic of prediction has them.
#pragma once

#include <algorithm>
#include <cmath>

#include "dispatch.hpp"
#include "plan.hpp"

namespace isotone {

constexpr double weight_exp_ceiling = 10.0;

// g(w) for every weight, computed in double and rounded once.
template <class T>
std::vector<T> mapped_weights(WeightMap map, const T* weights, std::size_t count) {
    std::vector<double> mapped(weights, weights + count);
    const auto activate = [&](Kind kind) {
        Activation activation;
        activation.kind = kind;
        level().elementwise.value64(activation, static_cast<std::int64_t>(count), mapped.data(), mapped.data());
    };
    switch (map) {
        case WeightMap::abs: for (double& w : mapped) w = std::abs(w); break;
        case WeightMap::square: for (double& w : mapped) w = w * w; break;
        case WeightMap::clamp: for (double& w : mapped) w = std::max(w, 0.0); break;
        case WeightMap::softplus: activate(Kind::softplus); break;
        case WeightMap::exp:
            for (double& w : mapped) w = std::min(w, weight_exp_ceiling);
            activate(Kind::exp);
            break;
    }
    return {mapped.begin(), mapped.end()};
}

}  // namespace isotone
