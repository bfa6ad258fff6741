// The table of elementwise functions over arrays that each level offers.
#pragma once

#include <cstdint>

#include "plan.hpp"

namespace isotone {

struct ElementwiseKernels {
    void (*value32)(const Activation&, std::int64_t n, const float* x, float* y);
    void (*slope32)(const Activation&, std::int64_t n, const float* x, float* y);
    // the value at x and at -x, as a post-switch takes them
    void (*pair32)(const Activation&, std::int64_t n, const float* x, float* plus, float* minus);
    void (*value64)(const Activation&, std::int64_t n, const double* x, double* y);
    void (*slope64)(const Activation&, std::int64_t n, const double* x, double* y);
    // the links that are functions of one score
    void (*sigmoid_link)(std::int64_t n, const float* scores, double* predictions);
    void (*exp_link)(std::int64_t n, const float* scores, double* predictions);
    // a * b + c with one rounding, entry by entry
    void (*fused)(std::int64_t n, const float* a, const float* b, const float* c, float* y);
};

}  // namespace isotone
