// The training of one member: its rows, its weights and moments, its epochs. What it computes depends on its own
// settings, rows and seed only; threads and neighbours decide when, never what.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "schedule.hpp"
#include "shuffle.hpp"
#include "threads.hpp"
#include "training_kernels.hpp"

namespace isotone {

// How many slabs several threads take up before their gradients are added, in order.
inline constexpr int wave_slabs = 32;

struct TrainingSettings {
    std::int64_t epochs = 1;
    std::int64_t batch_size = 1;
    bool drop_last = false;
    bool shuffled = true;
    bool decoupled = false;
    double weight_decay = 0.0;
    double first_decay = 0.9;
    double second_decay = 0.999;
    double epsilon = 1e-8;
    Schedule schedule;
    double clip_norm = std::numeric_limits<double>::infinity();
    // epochs without improvement by more than `tolerance` before a member stops; negative for never
    std::int64_t patience = -1;
    double tolerance = 0.0;
};

// The data of a training or of its validation.
template <class T>
struct Examples {
    EncodedRows<T> rows;
    std::vector<double> targets;
};

// The rows that a member uses, and every row's weight; the weights of its rows have mean 1.
struct Share {
    std::vector<std::int32_t> rows;
    std::vector<double> weights;
};

// What one thread needs to take steps.
template <class T>
struct Worker {
    Scratch<T> scratch;
    Prepared<T> prepared;
    Buffer<T> gradient;

    explicit Worker(const TrainedNetwork& network)
        : scratch(network), prepared(network), gradient(network.gradient_size) {}
};

// Everything that all members share.
template <class T>
struct Course {
    TrainedNetwork network;
    TrainingKernels<T> kernels;
    TrainingSettings settings;
    Loss loss;
    std::uint64_t seed;
    Examples<T> examples;
    Examples<T> trials;
};

// Where a member stands; together with its weights and moments this resumes it.
struct Progress {
    std::int64_t epoch = 0;
    std::int64_t step = 0;
    std::int64_t batch = 0;
    std::int64_t waited = 0;
    std::int64_t best_epoch = -1;
    std::int64_t stopped = 0;
    double loss_sum = 0.0;
    double weight_sum = 0.0;
    double best_loss = std::numeric_limits<double>::infinity();
};

struct EpochRecord {
    double loss;
    double validation;
    double rate;
};

// When a member has to give way, asked between its steps, and when it must drop even the step it is in.
struct Pace {
    std::function<bool()> turn_over;
    std::function<bool()> abandoned;
};

// Asks within a step whether it is to be dropped: after so much work that the question costs nothing beside it, and by
// the worker that may ask. The others hear of the answer before their next slab.
class Lookout {
public:
    Lookout(const Pace& pace, int asking, std::size_t slab_work) : pace_(pace), asking_(asking), work_(slab_work) {}
    bool dropped(int worker) {
        if (worker == asking_ && (done_ += work_) >= work_between_looks) {
            done_ = 0;
            if (pace_.abandoned()) dropped_.store(true, std::memory_order_relaxed);
        }
        return dropped();
    }
    bool dropped() const { return dropped_.load(std::memory_order_relaxed); }

private:
    // weights of slabs: less than a millisecond
    static constexpr std::size_t work_between_looks = 1 << 16;

    const Pace& pace_;
    int asking_;
    std::size_t work_, done_ = 0;
    std::atomic<bool> dropped_{false};
};

// The workers that take a member's steps: one of them, or all of a pool, which share the rows of a batch.
template <class T>
struct Crew {
    std::vector<Worker<T>>& workers;
    int own = 0;
    Pool* pool = nullptr;

    Worker<T>& worker() const { return workers[static_cast<std::size_t>(own)]; }
};

template <class T>
class MemberTraining {
public:
    MemberTraining(const Course<T>& course, int member, std::shared_ptr<const Share> share,
                   std::shared_ptr<const Share> trial);

    // Takes steps until the epoch, or until the pace says that it is enough. A step is taken whole or not at all.
    void run(std::int64_t until, const Crew<T>& crew, const Pace& pace);
    // Goes on from there; throws if this is no place in an epoch of this training.
    void resume(const Progress& from);
    bool done(std::int64_t until) const { return progress.stopped || progress.epoch >= until; }

    // The mean loss over the member's rows, and the gradient, which is left in the crew's worker.
    double value_and_gradient(const Crew<T>& crew);

    Buffer<T> weights, first, second, best;
    Progress progress;
    std::vector<EpochRecord> history;

private:
    std::int64_t steps_per_epoch() const;
    void begin_epoch();
    bool step(const Crew<T>& crew, const Pace& pace);
    void apply(Worker<T>& worker);
    bool end_epoch(const Crew<T>& crew, const Pace& pace);
    void judge(double validation);
    std::optional<double> sum_slabs(const Slab<T>& rows, std::int64_t count, bool by_gradient, const Crew<T>& crew,
                                    const Pace& pace);
    std::int64_t sum_wave(const Slab<T>& rows, std::int64_t count, std::int64_t begin, bool by_gradient,
                          const Crew<T>& crew, Lookout& lookout, double& sum);

    const Course<T>& course_;
    int member_;
    std::shared_ptr<const Share> share_, trial_;
    std::vector<std::int32_t> order_;
    bool ordered_ = false;
    // the running powers of the moments' decays, and the step they belong to
    double first_power_ = 1.0, second_power_ = 1.0;
    std::int64_t power_step_ = 0;
    // gradients of a wave of slabs, but for the very first slab's, which is the worker's own
    std::vector<Buffer<T>> wave_;
};

extern template class MemberTraining<float>;
extern template class MemberTraining<double>;

}  // namespace isotone
