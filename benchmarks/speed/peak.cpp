// The machine's peak: fused multiply-adds that depend on nothing but themselves, in assembly, so that no compiler
// has a say. Prints the instructions per second of one thread, the lanes of each, how much more two threads do, and
// how many bytes a second one thread reads from memory.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

double seconds() {
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    return double(used.ru_utime.tv_sec) + 1e-6 * double(used.ru_utime.tv_usec);
}

// 16 chains hide a latency of 4 to 5 cycles at two a cycle.
#define CHAINS(name)                                                                                             \
    "vfmadd231ps %%" name "0, %%" name "0, %%" name "0\n vfmadd231ps %%" name "1, %%" name "1, %%" name "1\n"     \
    "vfmadd231ps %%" name "2, %%" name "2, %%" name "2\n vfmadd231ps %%" name "3, %%" name "3, %%" name "3\n"     \
    "vfmadd231ps %%" name "4, %%" name "4, %%" name "4\n vfmadd231ps %%" name "5, %%" name "5, %%" name "5\n"     \
    "vfmadd231ps %%" name "6, %%" name "6, %%" name "6\n vfmadd231ps %%" name "7, %%" name "7, %%" name "7\n"     \
    "vfmadd231ps %%" name "8, %%" name "8, %%" name "8\n vfmadd231ps %%" name "9, %%" name "9, %%" name "9\n"     \
    "vfmadd231ps %%" name "10, %%" name "10, %%" name "10\n vfmadd231ps %%" name "11, %%" name "11, %%" name "11\n" \
    "vfmadd231ps %%" name "12, %%" name "12, %%" name "12\n vfmadd231ps %%" name "13, %%" name "13, %%" name "13\n" \
    "vfmadd231ps %%" name "14, %%" name "14, %%" name "14\n vfmadd231ps %%" name "15, %%" name "15, %%" name "15\n"
constexpr double chains = 16.0;

__attribute__((target("avx512f"))) void wide(long rounds) {
    asm volatile("vzeroall\n 1:\n" CHAINS("zmm") "dec %0\n jnz 1b\n" : "+r"(rounds) : : "xmm0", "xmm1", "xmm2", "xmm3",
                 "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}
__attribute__((target("avx2,fma"))) void half(long rounds) {
    asm volatile("vzeroall\n 1:\n" CHAINS("ymm") "dec %0\n jnz 1b\n" : "+r"(rounds) : : "xmm0", "xmm1", "xmm2", "xmm3",
                 "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

// The clock by a chain of additions of registers, one a cycle.
double clock_rate(long rounds) {
    long x = 1, left = rounds;
    const double begin = seconds();
    asm volatile("1:\n add %0, %0\n add %0, %0\n add %0, %0\n add %0, %0\n dec %1\n jnz 1b\n" : "+r"(x), "+r"(left));
    return 4.0 * double(rounds) / (seconds() - begin);
}

// Reads memory that no cache holds, a line at a time.
double bandwidth() {
    const std::vector<char> memory(std::size_t{1} << 28, 1);
    double best = 0.0;
    for (int repeat = 0; repeat < 3; ++repeat) {
        const char* next = memory.data();
        long lines = long(memory.size() / 64);
        const double begin = seconds();
        asm volatile("1:\n movups (%0), %%xmm0\n movups 16(%0), %%xmm1\n movups 32(%0), %%xmm2\n movups 48(%0), %%xmm3\n"
                     "add $64, %0\n dec %1\n jnz 1b\n"
                     : "+r"(next), "+r"(lines) : : "xmm0", "xmm1", "xmm2", "xmm3", "memory");
        best = std::max(best, double(memory.size()) / (seconds() - begin));
    }
    return best;
}

double rate(void (*loop)(long), long rounds) {
    double best = 0.0;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const double begin = seconds();
        loop(rounds);
        best = std::max(best, chains * double(rounds) / (seconds() - begin));
    }
    return best;
}

// How much longer one thread alone would take for what two do, by the clock on the wall: 2 if they share nothing.
double gain_of_two(void (*loop)(long), long rounds) {
    const auto taken = [&](bool two) {
        const auto begin = std::chrono::steady_clock::now();
        std::thread other([&] { if (two) loop(rounds); });
        loop(rounds);
        other.join();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    double alone = 1e9, both = 1e9;
    for (int repeat = 0; repeat < 5; ++repeat) {
        alone = std::min(alone, taken(false));
        both = std::min(both, taken(true));
    }
    return 2.0 * alone / both;
}

}  // namespace

int main() {
    const bool has_wide = __builtin_cpu_supports("avx512f");
    const int lanes = has_wide ? 16 : 8;
    void (*const loop)(long) = has_wide ? wide : half;
    const double clock = clock_rate(200000000), instructions = rate(loop, 20000000);
    std::printf("{\"lanes\": %d, \"clock\": %.4g, \"instructions\": %.4g, \"peak\": %.4g, \"clock_lanes_4\": %.4g, "
                "\"gain_of_two_threads\": %.3g, \"bandwidth\": %.3g}\n",
                lanes, clock, instructions, 2.0 * lanes * instructions, 4.0 * lanes * clock,
                gain_of_two(loop, 20000000), bandwidth());
}
