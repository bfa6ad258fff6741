#include "trainer.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace isotone {
namespace {

using Clock = std::chrono::steady_clock;

// A member is given back this often, so that threads share what is left and the caller is asked for interrupts.
constexpr auto turn = std::chrono::milliseconds(5);

// True once the turn is over; looks at the clock only at every fourth asking.
class Turn {
public:
    bool over() { return (++asked_ & 3) == 0 && Clock::now() >= end_; }
    // True once every turn, however long the asking goes on.
    bool due() {
        if (Clock::now() < end_) return false;
        end_ = Clock::now() + turn;
        return true;
    }

private:
    Clock::time_point end_ = Clock::now() + turn;
    unsigned asked_ = 0;
};

// The members that wait for a thread.
template <class T>
class Queue {
public:
    void put(MemberTraining<T>* member) {
        {
            const std::lock_guard lock(mutex_);
            waiting_.push_back(member);
        }
        change_.notify_one();
    }
    void begin(std::size_t members) { unfinished_ = members; }
    void finish() {
        {
            const std::lock_guard lock(mutex_);
            --unfinished_;
        }
        change_.notify_all();
    }
    void stop() {
        {
            const std::lock_guard lock(mutex_);
            stopped_ = true;
        }
        change_.notify_all();
    }
    bool over() {
        const std::lock_guard lock(mutex_);
        return stopped_ || unfinished_ == 0;
    }
    bool stopped() {
        const std::lock_guard lock(mutex_);
        return stopped_;
    }
    // The next member, or nothing after a turn without one.
    MemberTraining<T>* take() {
        std::unique_lock lock(mutex_);
        change_.wait_for(lock, turn, [&] { return stopped_ || unfinished_ == 0 || !waiting_.empty(); });
        if (stopped_ || waiting_.empty()) return nullptr;
        MemberTraining<T>* member = waiting_.front();
        waiting_.pop_front();
        return member;
    }

private:
    std::mutex mutex_;
    std::condition_variable change_;
    std::deque<MemberTraining<T>*> waiting_;
    std::size_t unfinished_ = 0;
    bool stopped_ = false;
};

}  // namespace

template <class T>
void Trainer<T>::run_members(std::int64_t until, Pool& pool, std::vector<Worker<T>>& workers,
                             const std::function<bool()>& interrupted) {
    Queue<T> queue;
    std::size_t unfinished = 0;
    for (MemberTraining<T>& member : members_)
        if (!member.done(until)) {
            queue.put(&member);
            ++unfinished;
        }
    queue.begin(unfinished);
    pool.run(pool.threads(), [&](std::int64_t, int worker) {
        // the caller is worker 0, and only it may be asked for interrupts
        const auto stopped = [&] {
            if (worker == 0 && interrupted()) queue.stop();
            return queue.stopped();
        };
        const auto take_turns = [&] {
            while (!queue.over()) {
                if (stopped()) return;
                MemberTraining<T>* member = queue.take();
                if (!member) continue;
                Turn own, look;
                member->run(until, {workers, worker, nullptr},
                            {[&] { return own.over(); }, [&] { return look.due() && stopped(); }});
                if (member->done(until)) queue.finish();
                else queue.put(member);
            }
        };
        try {
            take_turns();
        } catch (...) {
            // its member will never be done, so the others must not wait for it
            queue.stop();
            throw;
        }
    });
}

template <class T>
void Trainer<T>::run_rows(std::int64_t until, Pool& pool, std::vector<Worker<T>>& workers,
                          const std::function<bool()>& interrupted) {
    bool stop = false;
    for (MemberTraining<T>& member : members_)
        while (!member.done(until)) {
            Turn own, look;
            member.run(until, {workers, 0, &pool},
                       {[&] { return own.over(); }, [&] { return look.due() && (stop = stop || interrupted()); }});
            if (stop || interrupted()) return;
        }
}

template <class T>
void Trainer<T>::run(std::int64_t until, int threads, const std::function<bool()>& interrupted) {
    const bool by_rows = static_cast<int>(members_.size()) < threads && course_.settings.batch_size > slab_rows;
    // a thread without a member, or a slab, would have nothing to do
    threads = std::min(threads, by_rows ? wave_slabs : static_cast<int>(members_.size()));
    Pool pool(threads);
    std::vector<Worker<T>> workers;
    for (int i = 0; i < threads; ++i) workers.emplace_back(course_.network);
    if (by_rows) run_rows(until, pool, workers, interrupted);
    else run_members(until, pool, workers, interrupted);
}

template <class T>
std::vector<double> Trainer<T>::value_and_gradient(int threads, std::vector<Buffer<T>>& gradients) {
    threads = std::min(threads, wave_slabs);
    Pool pool(threads);
    std::vector<Worker<T>> workers;
    for (int i = 0; i < threads; ++i) workers.emplace_back(course_.network);
    std::vector<double> values;
    for (MemberTraining<T>& member : members_) {
        values.push_back(member.value_and_gradient({workers, 0, &pool}));
        gradients.push_back(workers[0].gradient);
    }
    return values;
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace isotone
