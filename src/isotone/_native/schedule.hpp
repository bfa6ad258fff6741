// The learning rate of each step of a training.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace isotone {

enum class ScheduleKind { constant, cosine, one_cycle };

// `warm_up` is the share of all steps in which the rate rises.
struct Schedule {
    ScheduleKind kind = ScheduleKind::constant;
    double rate = 1e-3;
    double warm_up = 0.0;
};

// one_cycle begins at the rate over the first number and ends at that over the second
constexpr double one_cycle_start = 25.0;
constexpr double one_cycle_end = 1e4;

// Half a cosine from `from` to `to` as `share` goes from 0 to 1.
inline double along_cosine(double from, double to, double share) {
    return to + 0.5 * (from - to) * (1.0 + std::cos(M_PI * share));
}

inline double one_cycle_rate(const Schedule& schedule, double step, double total) {
    const double peak = schedule.warm_up * total - 1.0, start = schedule.rate / one_cycle_start;
    if (step < peak) return along_cosine(start, schedule.rate, step / peak);
    const double fall = std::max(total - 1.0 - peak, 1.0);
    return along_cosine(schedule.rate, start / one_cycle_end, (step - peak) / fall);
}

inline double cosine_rate(const Schedule& schedule, double step, double total) {
    const double rise = std::floor(schedule.warm_up * total);
    if (step < rise) return schedule.rate * (step + 1.0) / rise;
    return along_cosine(schedule.rate, 0.0, (step - rise) / std::max(total - rise, 1.0));
}

// The rate of step `step` of `total`, counted from 0.
inline double rate_at(const Schedule& schedule, std::int64_t step, std::int64_t total) {
    const auto at = static_cast<double>(step), all = static_cast<double>(total);
    if (schedule.kind == ScheduleKind::cosine) return cosine_rate(schedule, at, all);
    if (schedule.kind == ScheduleKind::one_cycle) return one_cycle_rate(schedule, at, all);
    return schedule.rate;
}

}  // namespace isotone
