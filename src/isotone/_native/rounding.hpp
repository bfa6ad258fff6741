// The state of the floating point unit while a kernel runs.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace isotone {

// Sets rounding to nearest with subnormal numbers kept, whatever the caller's thread had, and restores it.
class PlainRounding {
public:
    PlainRounding() : before_(read()) { write(plain); }
    ~PlainRounding() { write(before_); }
    PlainRounding(const PlainRounding&) = delete;
    PlainRounding& operator=(const PlainRounding&) = delete;

private:
#if defined(__SSE2__)
    using Word = unsigned;
    // all exceptions masked, nearest, no flush to zero
    static constexpr Word plain = 0x1F80;
    static Word read() { return _mm_getcsr(); }
    static void write(Word word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
    using Word = std::uint64_t;
    static constexpr Word plain = 0;
    static Word read() {
        Word word;
        asm volatile("mrs %0, fpcr" : "=r"(word));
        return word;
    }
    static void write(Word word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#else
    using Word = int;
    static constexpr Word plain = 0;
    static Word read() { return 0; }
    static void write(Word) {}
#endif
    Word before_;
};

}  // namespace isotone
