// One level's kernels for prediction.
#pragma once

#include "gradient_inputs.hpp"
#include "links.hpp"
#include "predict_kernels.hpp"
#include "scores.hpp"

namespace isotone::ISOTONE_LEVEL {

template <class T>
inline constexpr PredictKernels<T> predict_kernels = {
    encode_block<T, float>, encode_block<T, double>, score_block<T>,
    average_members<T>,     link_block<T>,           gradient_block<T>,
};

}  // namespace isotone::ISOTONE_LEVEL
