#include "order_scan.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>

namespace isotone {
namespace {

constexpr std::int64_t piece = 4096;

float at_rank(std::int64_t rank) {
    const auto magnitude = static_cast<std::uint32_t>(rank < 0 ? -rank : rank);
    return std::bit_cast<float>(rank < 0 ? magnitude | 0x80000000u : magnitude);
}

std::uint64_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

void check_ranks(std::int64_t first, std::int64_t last) {
    if (first < -largest_rank || last > largest_rank || first > last)
        throw std::invalid_argument("ranks go from " + std::to_string(-largest_rank) + " to " +
                                    std::to_string(largest_rank) + "; got " + std::to_string(first) + " to " +
                                    std::to_string(last) + ".");
}

template <class Y>
std::int64_t inner_decreases(const Y* y, std::int64_t count) {
    std::int32_t decreases = 0;
    for (std::int64_t i = 1; i < count; ++i) decreases += y[i] >= y[i - 1] ? 0 : 1;
    return decreases;
}

template <class Y>
std::uint64_t sum_of_bits(const Y* y, std::int64_t count) {
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += bits_of(y[i]);
    return sum;
}

// +0 and -0 are one number, so a function has one value there.
template <class Y>
std::int64_t split_zero(const OnFloats<Y>& function) {
    const float zeros[] = {-0.0f, 0.0f};
    Y values[2];
    function(2, zeros, values);
    return values[0] == values[1] ? 0 : 1;
}

}  // namespace

template <class Y>
Scan scan(const OnFloats<Y>& function, std::int64_t first, std::int64_t last) {
    check_ranks(first, last);
    Scan found;
    float x[piece];
    Y y[piece];
    Y before = -std::numeric_limits<Y>::infinity();
    for (std::int64_t rank = first; rank <= last; rank += piece) {
        const std::int64_t count = std::min(piece, last - rank + 1);
        for (std::int64_t i = 0; i < count; ++i) x[i] = at_rank(rank + i);
        function(count, x, y);
        found.decreases += (y[0] >= before ? 0 : 1) + inner_decreases(y, count);
        found.checksum = found.checksum * 0x9E3779B97F4A7C15u + sum_of_bits(y, count);
        before = y[count - 1];
    }
    if (first <= 0 && last >= 0) found.decreases += split_zero(function);
    return found;
}

template Scan scan(const OnFloats<float>&, std::int64_t, std::int64_t);
template Scan scan(const OnFloats<double>&, std::int64_t, std::int64_t);

}  // namespace isotone
