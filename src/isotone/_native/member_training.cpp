#include "member_training.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace isotone {
namespace {

// How many slabs several threads take up before their gradients are added, in order.
constexpr std::int64_t wave_slabs = 32;

std::int64_t slabs_of(std::int64_t count) { return (count + slab_rows - 1) / slab_rows; }

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
    if (from.epoch < 0 || from.step < 0 || from.batch < 0 || from.batch >= steps)
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
void MemberTraining<T>::run(std::int64_t until, std::vector<Worker<T>>& workers, int worker, Pool* pool,
                            const std::function<bool()>& enough) {
    while (!done(until)) {
        if (!ordered_) begin_epoch();
        step(workers, worker, pool);
        if (progress.batch == steps_per_epoch()) end_epoch(workers, worker, pool);
        if (enough()) return;
    }
}

// Adds up the slabs' losses in order and, if wanted, their gradients into the worker's. Several threads fill a wave of
// buffers; the sum is the same because the order is.
template <class T>
double MemberTraining<T>::sum_slabs(const Slab<T>& rows, std::int64_t count, bool by_gradient,
                                    std::vector<Worker<T>>& workers, int worker, Pool* pool) {
    const TrainedNetwork& network = course_.network;
    const std::int64_t slabs = slabs_of(count), wave = std::min(slabs, pool ? wave_slabs : 1);
    const Prepared<T>& prepared = workers[static_cast<std::size_t>(worker)].prepared;
    while (by_gradient && static_cast<std::int64_t>(wave_.size()) < wave) wave_.emplace_back(network.gradient_size);
    double values[wave_slabs], sum = 0.0;
    T* total = workers[static_cast<std::size_t>(worker)].gradient.data();
    for (std::int64_t begin = 0; begin < slabs; begin += wave) {
        const std::int64_t size = std::min(wave, slabs - begin);
        const auto job = [&](std::int64_t i, int who) {
            Scratch<T>& scratch = workers[static_cast<std::size_t>(pool ? who : worker)].scratch;
            const Slab<T> slab = part_of(rows, begin + i, count);
            T* into = begin + i == 0 ? total : wave_[static_cast<std::size_t>(i)].data();
            values[i] = by_gradient
                            ? course_.kernels.gradient(network, weights.data(), prepared, scratch, slab, into)
                            : course_.kernels.value(network, weights.data(), prepared, scratch, slab);
        };
        if (pool && size > 1) pool->run(size, job);
        else for (std::int64_t i = 0; i < size; ++i) job(i, worker);
        for (std::int64_t i = 0; i < size; ++i) {
            sum += values[i];
            if (by_gradient && begin + i > 0)
                course_.kernels.add(network.gradient_size, wave_[static_cast<std::size_t>(i)].data(), total);
        }
    }
    return sum;
}

template <class T>
void MemberTraining<T>::step(std::vector<Worker<T>>& workers, int worker, Pool* pool) {
    Worker<T>& own = workers[static_cast<std::size_t>(worker)];
    const std::int64_t begin = progress.batch * course_.settings.batch_size;
    const auto left = static_cast<std::int64_t>(order_.size()) - begin;
    const std::int64_t count = std::min(course_.settings.batch_size, left);
    const Slab<T> rows{&course_.examples.rows, order_.data() + begin, 0, course_.examples.targets.data(),
                       share_->weights.data(), &course_.loss, 1.0 / static_cast<double>(count)};
    course_.kernels.prepare(course_.network, weights.data(), own.prepared);
    progress.loss_sum += sum_slabs(rows, count, true, workers, worker, pool);
    for (std::int64_t i = 0; i < count; ++i)
        progress.weight_sum += share_->weights[static_cast<std::size_t>(order_[static_cast<std::size_t>(begin + i)])];
    course_.kernels.finish(course_.network, weights.data(), own.gradient.data());
    apply(own);
    ++progress.batch;
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

template <class T>
void MemberTraining<T>::end_epoch(std::vector<Worker<T>>& workers, int worker, Pool* pool) {
    const std::int64_t last = std::max<std::int64_t>(progress.step - 1, 0);
    EpochRecord record{progress.loss_sum / progress.weight_sum, std::numeric_limits<double>::quiet_NaN(),
                       rate_at(course_.settings.schedule, last, course_.settings.epochs * steps_per_epoch())};
    if (trial_) {
        const Slab<T> rows{&course_.trials.rows, trial_->rows.data(), 0, course_.trials.targets.data(),
                           trial_->weights.data(), &course_.loss, 0.0};
        const auto count = static_cast<std::int64_t>(trial_->rows.size());
        Worker<T>& own = workers[static_cast<std::size_t>(worker)];
        course_.kernels.prepare(course_.network, weights.data(), own.prepared);
        record.validation = sum_slabs(rows, count, false, workers, worker, pool) / static_cast<double>(count);
        judge(record.validation);
    }
    history.push_back(record);
    progress.loss_sum = progress.weight_sum = 0.0;
    progress.batch = 0;
    ++progress.epoch;
    ordered_ = false;
    if (!std::isfinite(record.loss)) progress.stopped = 1;
}

// Keeps the best weights so far; stops the member when they are too long ago.
template <class T>
void MemberTraining<T>::judge(double validation) {
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
double MemberTraining<T>::value_and_gradient(std::vector<Worker<T>>& workers, Pool* pool) {
    const auto count = static_cast<std::int64_t>(share_->rows.size());
    const Slab<T> rows{&course_.examples.rows, share_->rows.data(), 0, course_.examples.targets.data(),
                       share_->weights.data(), &course_.loss, 1.0 / static_cast<double>(count)};
    course_.kernels.prepare(course_.network, weights.data(), workers[0].prepared);
    const double value = sum_slabs(rows, count, true, workers, 0, pool) / static_cast<double>(count);
    course_.kernels.finish(course_.network, weights.data(), workers[0].gradient.data());
    return value;
}

template class MemberTraining<float>;
template class MemberTraining<double>;

}  // namespace isotone
