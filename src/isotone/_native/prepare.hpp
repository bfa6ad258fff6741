// From a plan and the arrays of its parameters to a network that the kernels can run.
#pragma once

#include <vector>

#include "network.hpp"

namespace isotone {

// `arrays` in the order that plan.hpp states. Throws std::invalid_argument if knots are too near or too far apart to
// be read, or if a sum could overflow.
template <class T>
Network<T> prepare(const Plan& plan, const std::vector<const T*>& arrays);

}  // namespace isotone
