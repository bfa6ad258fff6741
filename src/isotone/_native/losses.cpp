#include "losses.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace isotone {
namespace {

// scores of the losses with a log link are read as within this, as in losses.py
constexpr double log_score_bound = 30.0;

double log_logistic(double x) { return std::min(x, 0.0) - std::log1p(std::exp(-std::fabs(x))); }

double logistic(double x) {
    const double e = std::exp(-std::fabs(x));
    return (x >= 0.0 ? 1.0 : e) / (1.0 + e);
}

double squared(const double* z, int count, double y, double* g) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        const double gap = z[i] - y;
        sum += gap * gap;
        g[i] = 2.0 * gap;
    }
    return sum;
}

double absolute(const double* z, int count, double y, double* g) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        const double gap = z[i] - y;
        sum += std::fabs(gap);
        g[i] = (gap > 0.0) - (gap < 0.0);
    }
    return sum;
}

double huber(double z, double y, double delta, double* g) {
    const double gap = z - y, size = std::fabs(gap);
    *g = std::clamp(gap, -delta, delta);
    return size <= delta ? 0.5 * size * size : delta * (size - 0.5 * delta);
}

double pinball(const double* z, int count, double y, const std::vector<double>& levels, double* g) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        const double gap = y - z[i], q = levels[static_cast<std::size_t>(i)];
        sum += std::max(q * gap, (q - 1.0) * gap);
        g[i] = (gap > 0.0 ? -q : gap < 0.0 ? 1.0 - q : 0.0) / count;
    }
    return sum / count;
}

double poisson(double z, double y, double* g) {
    *g = std::exp(z) - y;
    return std::exp(z) - y * z;
}

double gamma(double z, double y, double* g) {
    const double part = y * std::exp(-z);
    *g = 1.0 - part;
    return z + part;
}

double tweedie(double z, double y, double power, double* g) {
    const double mean = std::exp((2.0 - power) * z), part = y * std::exp((1.0 - power) * z);
    *g = mean - part;
    return mean / (2.0 - power) - part / (1.0 - power);
}

// The losses with a log link read a bounded score; beyond the bound they do not depend on it.
double bounded(const Loss& loss, double z, double y, double* g) {
    const double inside = std::clamp(z, -log_score_bound, log_score_bound);
    const double value = loss.kind == LossKind::poisson ? poisson(inside, y, g)
                         : loss.kind == LossKind::gamma ? gamma(inside, y, g)
                                                        : tweedie(inside, y, loss.parameters[0], g);
    if (!(std::fabs(z) < log_score_bound)) *g = 0.0;
    return value;
}

double log_loss(double z, double y, double* g) {
    *g = logistic(z) - y;
    return -log_logistic(y > 0.0 ? z : -z);
}

double softmax(const double* z, int count, double y, double* g) {
    const double top = *std::max_element(z, z + count);
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += g[i] = std::exp(z[i] - top);
    for (int i = 0; i < count; ++i) g[i] /= sum;
    const auto rank = static_cast<int>(y);
    g[rank] -= 1.0;
    return std::log(sum) - (z[rank] - top);
}

// P(y = k) = sigma(a) - sigma(b) = sigma(a) sigma(-b) (1 - e^(b - a)), which does not cancel; a and b are the scores
// at the cuts below and above the rank, infinite at the ends, where their factors are 1.
double ordinal(const double* z, int count, double y, double* g) {
    std::fill(g, g + count, 0.0);
    const auto rank = static_cast<int>(y);
    const bool has_below = rank > 0, has_above = rank < count;
    double value = 0.0, ratio = 0.0;
    if (has_below && has_above) {
        const double a = z[rank - 1], b = z[rank];
        ratio = 1.0 / std::expm1(a - b);
        value -= std::log(-std::expm1(b - a));
    }
    if (has_below) {
        value -= log_logistic(z[rank - 1]);
        g[rank - 1] = -(logistic(-z[rank - 1]) + ratio);
    }
    if (has_above) {
        value -= log_logistic(-z[rank]);
        g[rank] = logistic(z[rank]) + ratio;
    }
    return value;
}

}  // namespace

double row_loss(const Loss& loss, const double* z, int count, double y, double* g) {
    switch (loss.kind) {
        case LossKind::squared_error: return squared(z, count, y, g);
        case LossKind::absolute_error: return absolute(z, count, y, g);
        case LossKind::huber: return huber(*z, y, loss.parameters[0], g);
        case LossKind::quantile: return pinball(z, count, y, loss.parameters, g);
        case LossKind::poisson:
        case LossKind::gamma:
        case LossKind::tweedie: return bounded(loss, *z, y, g);
        case LossKind::log_loss: return log_loss(*z, y, g);
        case LossKind::softmax: return softmax(z, count, y, g);
        case LossKind::ordinal: return ordinal(z, count, y, g);
    }
    return 0.0;
}

void rising_cuts(const double* free, int count, double* cuts) {
    double sum = 0.0;
    for (int k = 0; k < count; ++k) cuts[k] = sum += k ? -log_logistic(-free[k]) : free[k];
}

void rising_cuts_gradient(const double* free, int count, const double* by_cut, double* gradient) {
    double sum = 0.0;
    for (int k = count - 1; k >= 0; --k) {
        sum += by_cut[k];
        gradient[k] = k ? sum * logistic(free[k]) : sum;
    }
}

}  // namespace isotone
