// What a level_training_*.cpp compiles: the training kernels in that level's namespace.
#pragma once

#include "slab.hpp"
#include "weight_update.hpp"

namespace isotone::ISOTONE_LEVEL {

template <class T>
constexpr TrainingKernels<T> training_kernels = {
    lanes<T>, prepare<T>, slab_value<T>, slab_gradient<T>, finish<T>, add<T>, scale<T>, squares<T>, update<T>,
};

extern const TrainingKernels<float> training32;
extern const TrainingKernels<double> training64;
const TrainingKernels<float> training32 = training_kernels<float>;
const TrainingKernels<double> training64 = training_kernels<double>;

}  // namespace isotone::ISOTONE_LEVEL
