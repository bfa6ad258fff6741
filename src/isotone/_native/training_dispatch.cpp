#include "training_dispatch.hpp"

#include <stdexcept>
#include <string>

#include "dispatch.hpp"

namespace isotone {

namespace baseline {
extern const TrainingKernels<float> training32;
extern const TrainingKernels<double> training64;
}
#if defined(__x86_64__)
namespace avx2 {
extern const TrainingKernels<float> training32;
extern const TrainingKernels<double> training64;
}
namespace avx512 {
extern const TrainingKernels<float> training32;
extern const TrainingKernels<double> training64;
}
#endif

namespace {

struct Pair {
    const char* level;
    const TrainingKernels<float>* in_float;
    const TrainingKernels<double>* in_double;
};

const Pair pairs[] = {
    {"baseline", &baseline::training32, &baseline::training64},
#if defined(__x86_64__)
    {"avx2", &avx2::training32, &avx2::training64},
    {"avx512", &avx512::training32, &avx512::training64},
#endif
};

const Pair& running() {
    for (const Pair& pair : pairs)
        if (std::string(level().name) == pair.level) return pair;
    throw std::logic_error("the level in use has no training kernels.");
}

}  // namespace

template <>
const TrainingKernels<float>& training_kernels<float>() {
    return *running().in_float;
}
template <>
const TrainingKernels<double>& training_kernels<double>() {
    return *running().in_double;
}

}  // namespace isotone
