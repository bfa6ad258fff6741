// Prediction for arrays of rows, in blocks over threads. The result does not depend on the number of threads.
#pragma once

#include <cstdint>

#include "network.hpp"

namespace isotone {

// `out` has plan.predictions() numbers per row. Throws std::invalid_argument if a value cannot be read.
template <class T, class X>
void predict(const Network<T>& network, const X* x, std::int64_t rows, int threads, double* out);

// `out` has for every member, for every row, the outputs.
template <class T, class X>
void member_scores(const Network<T>& network, const X* x, std::int64_t rows, int threads, T* out);

// `out` has for every row, for every output, the derivative of center + scale * score by each column.
template <class T, class X>
void input_gradient(const Network<T>& network, const X* x, std::int64_t rows, int threads, double* out);

}  // namespace isotone
