#include "member_training.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace isotone {
namespace {

std::int64_t slabs_of(std::int64_t count) { return (count + slab_rows - 1) / slab_rows; }

// Each slab of a wave has a gradient of its own: of a large network only as many as keep the threads busy.
std::int64_t wave_of(const Pool& pool, const TrainedNetwork& network) {
    constexpr std::size_t most_numbers = 1 << 20;
    const std::int64_t busy = std::min(2 * pool.threads(), wave_slabs);
    return std::clamp(static_cast<std::int64_t>(most_numbers / network.gradient_size), busy,
                      std::int64_t{wave_slabs});
}

template <class T>
Slab<T> part_of(Slab<T> rows, std::int64_t slab, std::int64_t count) {
    rows.rows += slab * slab_rows;
    rows.count = static_cast<int>(std::min<std::int64_t>(slab_rows, count - slab * slab_rows));
    return rows;
}

}  // namespace

template <class T>
MemberTraining<T>::MemberTraining(const Course<T>& course, int member, std::shared_ptr<const Share> share,
                                  std::shared_ptr<const Share> trial)
    : weights(course.network.size), first(course.network.size), second(course.network.size),
      best(course.network.size), course_(course), member_(member), share_(std::move(share)),
      trial_(std::move(trial)) {}

template <class T>
std::int64_t MemberTraining<T>::steps_per_epoch() const {
    const auto rows = static_cast<std::int64_t>(share_->rows.size()), batch = course_.settings.batch_size;
    return course_.settings.drop_last ? rows / batch : (rows + batch - 1) / batch;
}

template <class T>
void MemberTraining<T>::resume(const Progress& from) {
    const std::int64_t steps = steps_per_epoch();
    if (from.epoch < 0 || from.step < 0 || from.batch < 0 || from.batch > steps)
        throw std::invalid_argument("the state stands at batch " + std::to_string(from.batch) + " of an epoch that has " +
                                    std::to_string(steps) + " batches here; resume with the same rows and batch_size.");
    progress = from;
}

template <class T>
void MemberTraining<T>::begin_epoch() {
    order_ = share_->rows;
    if (course_.settings.shuffled)
        shuffle(order_, course_.seed, static_cast<std::uint64_t>(member_), static_cast<std::uint64_t>(progress.epoch));
    ordered_ = true;
}

template <class T>
void MemberTraining<T>::run(std::int64_t until, const Crew<T>& crew, const Pace& pace) {
    while (!done(until)) {
        const bool whole = progress.batch == steps_per_epoch() ? end_epoch(crew, pace) : step(crew, pace);
        if (!whole || pace.turn_over()) return;
    }
}

// Works on one wave of slabs from `begin` on, adds up their losses in order and, if wanted, their gradients into the
// worker's. Several threads fill several buffers; the sum is the same because the order is. Returns the wave's end.
template <class T>
std::int64_t MemberTraining<T>::sum_wave(const Slab<T>& rows, std::int64_t count, std::int64_t begin, bool by_gradient,
                                         const Crew<T>& crew, Lookout& lookout, double& sum) {
    const TrainedNetwork& network = course_.network;
    const std::int64_t size = std::min(slabs_of(count) - begin, crew.pool ? wave_of(*crew.pool, network) : 1);
    while (by_gradient && static_cast<std::int64_t>(wave_.size()) < size) wave_.emplace_back(network.gradient_size);
    double values[wave_slabs];
    T* total = crew.worker().gradient.data();
    const auto job = [&](std::int64_t i, int who) {
        if (lookout.dropped(who)) return;
        Scratch<T>& scratch = crew.workers[static_cast<std::size_t>(crew.pool ? who : crew.own)].scratch;
        const Prepared<T>& prepared = crew.worker().prepared;
        const Slab<T> slab = part_of(rows, begin + i, count);
        if (!by_gradient) {
            values[i] = course_.kernels.value(network, weights.data(), prepared, scratch, slab);
            return;
        }
        T* into = begin + i == 0 ? total : wave_[static_cast<std::size_t>(i)].data();
        values[i] = course_.kernels.gradient(network, weights.data(), prepared, scratch, slab, into);
    };
    if (crew.pool && size > 1) crew.pool->run(size, job);
    else for (std::int64_t i = 0; i < size; ++i) job(i, crew.own);
    for (std::int64_t i = 0; i < size && !lookout.dropped(); ++i) {
        sum += values[i];
        if (by_gradient && begin + i > 0)
            course_.kernels.add(network.gradient_size, wave_[static_cast<std::size_t>(i)].data(), total);
    }
    return begin + size;
}

// The sum over all slabs, or nothing if it was abandoned.
template <class T>
std::optional<double> MemberTraining<T>::sum_slabs(const Slab<T>& rows, std::int64_t count, bool by_gradient,
                                                   const Crew<T>& crew, const Pace& pace) {
    double sum = 0.0;
    Lookout lookout(pace, crew.own, course_.network.size);
    for (std::int64_t begin = 0; begin < slabs_of(count);) {
        begin = sum_wave(rows, count, begin, by_gradient, crew, lookout, sum);
        if (lookout.dropped()) return std::nullopt;
    }
    return sum;
}

// Takes a step of the optimiser; false if it was abandoned, and nothing has changed.
template <class T>
bool MemberTraining<T>::step(const Crew<T>& crew, const Pace& pace) {
    if (!ordered_) begin_epoch();
    Worker<T>& own = crew.worker();
    const std::int64_t begin = progress.batch * course_.settings.batch_size;
    const auto left = static_cast<std::int64_t>(order_.size()) - begin;
    const std::int64_t count = std::min(course_.settings.batch_size, left);
    const Slab<T> rows{&course_.examples.rows, order_.data() + begin, 0, course_.examples.targets.data(),
                       share_->weights.data(), &course_.loss, 1.0 / static_cast<double>(count)};
    course_.kernels.prepare(course_.network, weights.data(), own.prepared);
    const std::optional<double> loss = sum_slabs(rows, count, true, crew, pace);
    if (!loss) return false;
    progress.loss_sum += *loss;
    for (std::int64_t i = 0; i < count; ++i)
        progress.weight_sum += share_->weights[static_cast<std::size_t>(order_[static_cast<std::size_t>(begin + i)])];
    course_.kernels.finish(course_.network, weights.data(), own.gradient.data());
    apply(own);
    ++progress.batch;
    return true;
}

// Clips the gradient and takes the optimiser's step.
template <class T>
void MemberTraining<T>::apply(Worker<T>& worker) {
    const TrainingSettings& s = course_.settings;
    const double rate = rate_at(s.schedule, progress.step, s.epochs * steps_per_epoch());
    if (std::isfinite(s.clip_norm)) {
        const double norm = std::sqrt(course_.kernels.squares(course_.network.size, worker.gradient.data()));
        if (norm > s.clip_norm)
            course_.kernels.scale(course_.network.size, static_cast<T>(s.clip_norm / norm), worker.gradient.data());
    }
    for (++progress.step; power_step_ < progress.step; ++power_step_) {
        first_power_ *= s.first_decay;
        second_power_ *= s.second_decay;
    }
    AdamStep<T> adam;
    adam.rate = static_cast<T>(rate);
    adam.first_decay = static_cast<T>(s.first_decay);
    adam.second_decay = static_cast<T>(s.second_decay);
    adam.epsilon = static_cast<T>(s.epsilon);
    adam.weight_decay = static_cast<T>(s.weight_decay);
    adam.scaled_rate = static_cast<T>(rate / (1.0 - first_power_));
    adam.second_scale = static_cast<T>(1.0 / std::sqrt(1.0 - second_power_));
    adam.decoupled = s.decoupled;
    course_.kernels.update(adam, course_.network.size, worker.gradient.data(), weights.data(), first.data(),
                           second.data());
}

// Judges and records the epoch; false if that was abandoned, and nothing has changed.
template <class T>
bool MemberTraining<T>::end_epoch(const Crew<T>& crew, const Pace& pace) {
    const std::int64_t last = std::max<std::int64_t>(progress.step - 1, 0);
    EpochRecord record{progress.loss_sum / progress.weight_sum, std::numeric_limits<double>::quiet_NaN(),
                       rate_at(course_.settings.schedule, last, course_.settings.epochs * steps_per_epoch())};
    if (trial_) {
        const Slab<T> rows{&course_.trials.rows, trial_->rows.data(), 0, course_.trials.targets.data(),
                           trial_->weights.data(), &course_.loss, 0.0};
        const auto count = static_cast<std::int64_t>(trial_->rows.size());
        course_.kernels.prepare(course_.network, weights.data(), crew.worker().prepared);
        const std::optional<double> loss = sum_slabs(rows, count, false, crew, pace);
        if (!loss) return false;
        record.validation = *loss / static_cast<double>(count);
        judge(record.validation);
    }
    history.push_back(record);
    progress.loss_sum = progress.weight_sum = 0.0;
    progress.batch = 0;
    ++progress.epoch;
    ordered_ = false;
    if (!std::isfinite(record.loss)) progress.stopped = 1;
    return true;
}

// Keeps the best weights so far; stops the member when they are too long ago.
template <class T>
void MemberTraining<T>::judge(double validation) {
    // nothing is worse than no number, and anything is better
    if (std::isnan(validation)) validation = std::numeric_limits<double>::infinity();
    if (validation < progress.best_loss - course_.settings.tolerance || progress.best_epoch < 0) {
        best = weights;
        progress.best_loss = validation;
        progress.best_epoch = progress.epoch;
        progress.waited = 0;
        return;
    }
    ++progress.waited;
    const std::int64_t patience = course_.settings.patience;
    if (patience >= 0 && progress.waited >= patience) progress.stopped = 1;
}

template <class T>
double MemberTraining<T>::value_and_gradient(const Crew<T>& crew) {
    const auto count = static_cast<std::int64_t>(share_->rows.size());
    const Slab<T> rows{&course_.examples.rows, share_->rows.data(), 0, course_.examples.targets.data(),
                       share_->weights.data(), &course_.loss, 1.0 / static_cast<double>(count)};
    course_.kernels.prepare(course_.network, weights.data(), crew.worker().prepared);
    const Pace unhurried{[] { return false; }, [] { return false; }};
    const double sum = sum_slabs(rows, count, true, crew, unhurried).value();
    course_.kernels.finish(course_.network, weights.data(), crew.worker().gradient.data());
    return sum / static_cast<double>(count);
}

template class MemberTraining<float>;
template class MemberTraining<double>;

}  // namespace isotone
