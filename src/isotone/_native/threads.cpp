#include "threads.hpp"

#include <stdexcept>
#include <string>
#include <system_error>

#include "rounding.hpp"

namespace isotone {
namespace {

// How often a waiting thread looks before it sleeps: about the time of two training steps.
constexpr int looks_before_sleep = 4000;

inline void pause() {
#if defined(__SSE2__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Waits until the number is no longer `old`.
template <class T>
void wait_for_change(std::atomic<T>& number, T old) {
    for (int look = 0; look < looks_before_sleep; ++look) {
        if (number.load(std::memory_order_acquire) != old) return;
        pause();
    }
    number.wait(old, std::memory_order_acquire);
}

}  // namespace

Pool::Pool(int threads) {
    try {
        for (int worker = 1; worker < threads; ++worker)
            workers_.emplace_back([this, worker] { wait_and_work(worker); });
    } catch (const std::system_error&) {
        const std::string able = std::to_string(workers_.size() + 1);
        leave();
        throw std::runtime_error("this process can run no more than " + able + " threads now; got threads=" +
                                 std::to_string(threads) + ".");
    }
}

Pool::~Pool() { leave(); }

void Pool::leave() {
    leaving_.store(true, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void Pool::run(std::int64_t jobs, const std::function<void(std::int64_t, int)>& job) {
    job_ = &job;
    jobs_ = jobs;
    next_.store(0, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    failure_ = nullptr;
    if (!workers_.empty()) {
        busy_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
        round_.fetch_add(1, std::memory_order_release);
        round_.notify_all();
    }
    take_jobs(0);
    for (int busy = busy_.load(std::memory_order_acquire); busy; busy = busy_.load(std::memory_order_acquire))
        wait_for_change(busy_, busy);
    if (failure_) std::rethrow_exception(failure_);
}

void Pool::wait_and_work(int worker) {
    for (std::uint32_t seen = 0;; ++seen) {
        wait_for_change(round_, seen);
        if (leaving_.load(std::memory_order_relaxed)) return;
        take_jobs(worker);
        if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
    }
}

void Pool::take_jobs(int worker) {
    const PlainRounding plain;
    try {
        for (std::int64_t index = next_++; index < jobs_; index = next_++) (*job_)(index, worker);
    } catch (...) {
        next_.store(jobs_, std::memory_order_relaxed);
        if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
}

}  // namespace isotone
