// The order in which a member sees its rows: a pure function of seed, member and epoch, so that a training can be
// taken up anywhere and a member does not depend on its neighbours.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace isotone {

// SplitMix64 (Steele, Lea, Flood 2014): a counter and a mixing function.
class Stream {
public:
    Stream(std::uint64_t seed, std::uint64_t member, std::uint64_t epoch)
        : state_(mix(mix(mix(seed) + member) + epoch)) {}

    std::uint64_t next() { return mix(state_ += step); }

    // A number below `bound`, each as likely: the high half of a 128-bit product, redrawn where it would be uneven.
    std::uint64_t below(std::uint64_t bound) {
        for (;;) {
            const auto product = static_cast<unsigned __int128>(next()) * bound;
            const auto low = static_cast<std::uint64_t>(product);
            // the rest of the division is below the bound, so it is seldom needed
            if (low >= bound || low >= (0 - bound) % bound) return static_cast<std::uint64_t>(product >> 64);
        }
    }

private:
    static constexpr std::uint64_t step = 0x9E3779B97F4A7C15;

    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

    std::uint64_t state_;
};

// Puts the rows in the order of that epoch.
inline void shuffle(std::vector<std::int32_t>& rows, std::uint64_t seed, std::uint64_t member, std::uint64_t epoch) {
    Stream stream(seed, member, epoch);
    for (std::size_t left = rows.size(); left > 1; --left) std::swap(rows[left - 1], rows[stream.below(left)]);
}

}  // namespace isotone
