#include "dispatch.hpp"

#include <atomic>
#include <stdexcept>

namespace isotone {

namespace baseline {
extern const Level level;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Level level;
}
namespace avx512 {
extern const Level level;
}
#endif

namespace {

// Widest first; the first is what runs unless a test chooses.
std::vector<const Level*> runnable() {
    std::vector<const Level*> levels;
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (wide && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        levels.push_back(&avx512::level);
    if (wide) levels.push_back(&avx2::level);
#endif
    levels.push_back(&baseline::level);
    return levels;
}

std::atomic<const Level*>& current() {
    static std::atomic<const Level*> chosen{runnable().front()};
    return chosen;
}

}  // namespace

const Level& level() { return *current().load(std::memory_order_relaxed); }

std::vector<std::string> level_names() {
    std::vector<std::string> names;
    for (const Level* one : runnable()) names.emplace_back(one->name);
    return names;
}

void use_level(const std::string& name) {
    for (const Level* one : runnable())
        if (name == one->name) {
            current().store(one, std::memory_order_relaxed);
            return;
        }
    throw std::invalid_argument("this CPU has no level '" + name + "'.");
}

}  // namespace isotone
