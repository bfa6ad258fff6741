// Runs a function over consecutive floats and counts where it decreases. All finite floats in rising order have the
// ranks -0x7f7fffff to 0x7f7fffff; rank 0 is +0, and -0 must have the same value.
#pragma once

#include <cstdint>
#include <functional>

namespace isotone {

constexpr std::int64_t largest_rank = 0x7f7fffff;

struct Scan {
    // neighbours whose values are in the wrong order, or of which one is no number
    std::int64_t decreases = 0;
    // of all bits of all values, to compare levels by
    std::uint64_t checksum = 0;
};

// y[i] = f(x[i]) for n floats.
template <class Y>
using OnFloats = std::function<void(std::int64_t n, const float* x, Y* y)>;

// Scans the ranks first to last. Throws std::invalid_argument if they are no ranks.
template <class Y>
Scan scan(const OnFloats<Y>& function, std::int64_t first, std::int64_t last);

}  // namespace isotone
