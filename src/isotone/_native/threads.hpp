// A pool of threads that lives as long as one call, so that nothing is left behind for a forked child to miss.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace isotone {

// The calling thread is worker 0. `run` may be called any number of times; between calls the others wait,
// first awake, then asleep.
class Pool {
public:
    // Throws if the system does not give so many.
    explicit Pool(int threads);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    int threads() const { return static_cast<int>(workers_.size()) + 1; }

    // Calls job(index, worker) once for every index below `jobs`, in any order, on any worker, with plain rounding;
    // returns when all are done. The first exception is thrown on.
    void run(std::int64_t jobs, const std::function<void(std::int64_t, int)>& job);

private:
    void leave();
    void wait_and_work(int worker);
    void take_jobs(int worker);

    std::vector<std::thread> workers_;
    const std::function<void(std::int64_t, int)>* job_ = nullptr;
    std::int64_t jobs_ = 0;
    std::atomic<std::int64_t> next_{0};
    std::atomic<std::uint32_t> round_{0};
    std::atomic<int> busy_{0};
    std::atomic<bool> leaving_{false};
    std::atomic<bool> failed_{false};
    std::exception_ptr failure_;
};

}  // namespace isotone
