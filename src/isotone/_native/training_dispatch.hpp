// The training kernels of the level in use. They are compiled apart from the other kernels of a level, so that a
// change in training does not compile prediction anew.
#pragma once

#include "training_kernels.hpp"

namespace isotone {

template <class T>
const TrainingKernels<T>& training_kernels();

}  // namespace isotone
