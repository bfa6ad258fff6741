// All members of a network in training, spread over threads.
#pragma once

#include "member_training.hpp"

namespace isotone {

template <class T>
class Trainer {
public:
    explicit Trainer(Course<T> course) : course_(std::move(course)) {}
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    const Course<T>& course() const { return course_; }
    std::vector<MemberTraining<T>>& members() { return members_; }
    void add_member(std::shared_ptr<const Share> share, std::shared_ptr<const Share> trial) {
        members_.emplace_back(course_, static_cast<int>(members_.size()), std::move(share), std::move(trial));
    }

    // Trains every member up to the epoch. `interrupted` is asked every few milliseconds on the calling thread; if it
    // says so, all stop after the step they are in.
    void run(std::int64_t until, int threads, const std::function<bool()>& interrupted);

    // Every member's mean loss over its rows, and its gradient in the layout of the network.
    std::vector<double> value_and_gradient(int threads, std::vector<Buffer<T>>& gradients);

private:
    void run_members(std::int64_t until, Pool& pool, std::vector<Worker<T>>& workers,
                     const std::function<bool()>& interrupted);
    void run_rows(std::int64_t until, Pool& pool, std::vector<Worker<T>>& workers,
                  const std::function<bool()>& interrupted);

    Course<T> course_;
    std::vector<MemberTraining<T>> members_;
};

extern template class Trainer<float>;
extern template class Trainer<double>;

}  // namespace isotone
