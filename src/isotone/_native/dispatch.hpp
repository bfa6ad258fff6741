// Which compiled level runs. Each level_*.cpp compiles the same kernel headers in its own namespace and hands out
// one table of functions; nothing else in the engine knows which instructions a CPU has.
#pragma once

#include <string>
#include <vector>

#include "elementwise_kernels.hpp"
#include "predict_kernels.hpp"

namespace isotone {

// Every table of kernels has one member here, filled by level.hpp.
struct Level {
    const char* name;
    ElementwiseKernels elementwise;
    PredictKernels<float> predict32;
    PredictKernels<double> predict64;
};

// The level in use: the widest that the CPU can run, or the one that a test has chosen.
const Level& level();
// The names of the levels that this CPU can run, widest first.
std::vector<std::string> level_names();
// Makes `name` the level in use from now on, for the whole process; throws if this CPU cannot run it.
void use_level(const std::string& name);

}  // namespace isotone
