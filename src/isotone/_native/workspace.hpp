// The memory of one thread that predicts.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "predict_kernels.hpp"

namespace isotone {

// Hands out aligned parts of one piece of memory.
class Arena {
public:
    explicit Arena(std::size_t bytes) : memory_(std::aligned_alloc(alignment, rounded(bytes))) {
        if (!memory_) throw std::bad_alloc();
#if defined(__SANITIZE_ADDRESS__)
        // NaN, so that a test sees what reads a number that nobody wrote
        std::memset(memory_.get(), 0xFF, rounded(bytes));
#endif
        next_ = static_cast<char*>(memory_.get());
    }
    template <class T>
    T* take(std::size_t count) {
        char* part = next_;
        next_ += rounded(count * sizeof(T));
        return reinterpret_cast<T*>(part);
    }
    static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

private:
    static constexpr std::size_t alignment = 64;
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::unique_ptr<void, Free> memory_;
    char* next_ = nullptr;
};

// How many lines each buffer of a workspace has.
struct Lines {
    std::size_t columns, features, widest, by_row, latent, predictions;

    template <class T>
    explicit Lines(const Network<T>& network)
        : columns(static_cast<std::size_t>(network.columns())),
          features(static_cast<std::size_t>(network.features + (network.plan.free.empty() ? 0 : network.plan.free.back().outputs))),
          widest(static_cast<std::size_t>(network.widest)),
          // a row of the widest layer for each lane of the widest vector
          by_row((widest * widest_lanes + block_rows - 1) / block_rows),
          latent(static_cast<std::size_t>(network.plan.outputs)),
          predictions(static_cast<std::size_t>(network.plan.predictions())) {}

    template <class T>
    std::size_t bytes() const {
        return block_rows * (columns * (sizeof(double) + sizeof(std::int32_t)) + predictions * sizeof(double) +
                             (features + 2 * widest + by_row + latent) * sizeof(T));
    }
};

template <class T>
class OwnWorkspace {
public:
    explicit OwnWorkspace(const Network<T>& network) : OwnWorkspace(Lines(network)) {}
    Workspace<T>& get() { return work_; }

private:
    explicit OwnWorkspace(const Lines& lines) : arena_(lines.bytes<T>()) {
        work_.raw = arena_.template take<double>(lines.columns * block_rows);
        work_.features = arena_.template take<T>(lines.features * block_rows);
        work_.index = arena_.template take<std::int32_t>(lines.columns * block_rows);
        work_.sums = arena_.template take<T>(lines.widest * block_rows);
        work_.lines = arena_.template take<T>(lines.widest * block_rows);
        work_.by_row = arena_.template take<T>(lines.by_row * block_rows);
        work_.latent = arena_.template take<T>(lines.latent * block_rows);
        work_.predictions = arena_.template take<double>(lines.predictions * block_rows);
    }

    Arena arena_;
    Workspace<T> work_;
};

template <class T>
class OwnGradientSpace {
public:
    explicit OwnGradientSpace(const Network<T>& network) : arena_(bytes(network)) {
        const Lines lines(network);
        const auto whole = [&](std::size_t count) { return arena_.template take<double>(count * block_rows); };
        space_.by_sum = whole(lines.widest);
        space_.by_line = whole(lines.widest);
        space_.by_feature = whole(lines.features);
        space_.by_unit = whole(lines.widest / block_rows + 1);
        space_.features = static_cast<int>(lines.features);
        const auto keep = [&](std::size_t) { return arena_.template take<T>(lines.widest * block_rows); };
        for (std::size_t i = 0; i < network.plan.free.size(); ++i) space_.kept_free.push_back(keep(i));
        for (std::size_t i = 0; i < network.plan.trunk.size(); ++i) space_.kept_trunk.push_back(keep(i));
    }
    GradientSpace<T>& get() { return space_; }

private:
    static std::size_t bytes(const Network<T>& network) {
        const Lines lines(network);
        const std::size_t doubles = 2 * lines.widest + lines.features + lines.widest / block_rows + 1;
        const std::size_t kept = (network.plan.free.size() + network.plan.trunk.size()) * lines.widest;
        return block_rows * (doubles * sizeof(double) + kept * sizeof(T));
    }

    Arena arena_;
    GradientSpace<T> space_;
};

}  // namespace isotone
