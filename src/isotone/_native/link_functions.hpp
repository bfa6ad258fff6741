// The links that are functions of one score, in double. Tests run them over all float scores and see that they never
// decrease.
#pragma once

#include "elementwise.hpp"

namespace isotone::ISOTONE_LEVEL {

// The nearest multiple of 2^-50 of a number in [0, 1], so that differences of probabilities are exact.
[[gnu::always_inline]] inline Doubles probability(Doubles p) { return (p + 4.0) - 4.0; }

[[gnu::always_inline]] inline Doubles linked_sigmoid(Doubles z) { return probability(sigmoid_of(z)); }

[[gnu::always_inline]] inline Doubles linked_exp(Doubles z) { return exp_of(z); }

}  // namespace isotone::ISOTONE_LEVEL
