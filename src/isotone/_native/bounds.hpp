// A bound on every number between input and output, so that no sum of a prepared network can overflow: of an
// infinity and its opposite the difference would be no number.
#pragma once

#include "network.hpp"

namespace isotone {

// Throws std::invalid_argument if some sum could leave T's range for some finite input.
template <class T>
void check_bounds(const Network<T>& network);

}  // namespace isotone
