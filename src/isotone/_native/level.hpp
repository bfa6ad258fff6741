// What a level_*.cpp compiles: every kernel, in its own namespace, and the table that hands them out.
#pragma once

#include "dispatch.hpp"
#include "elementwise_arrays.hpp"
#include "predict_table.hpp"

namespace isotone::ISOTONE_LEVEL {

#define ISOTONE_QUOTE(name) #name
#define ISOTONE_NAME(name) ISOTONE_QUOTE(name)

extern const Level level;
const Level level = {
    ISOTONE_NAME(ISOTONE_LEVEL),
    elementwise_kernels,
    predict_kernels<float>,
    predict_kernels<double>,
};

}  // namespace isotone::ISOTONE_LEVEL
