// Every loss of losses.py for one row: its value, and its derivative by the row's scores.
#pragma once

#include <vector>

namespace isotone {

enum class LossKind {
    squared_error, absolute_error, huber, quantile, poisson, gamma, tweedie, log_loss, softmax, ordinal,
};

// `parameters` are huber's delta, the quantile levels, or tweedie's power.
struct Loss {
    LossKind kind = LossKind::squared_error;
    std::vector<double> parameters;
};

// Returns the loss of `count` scores against the target and writes its derivative by each score.
// The scores of ordinal are latent - cut, one per cut; its target and softmax's are ranks.
double row_loss(const Loss& loss, const double* scores, int count, double target, double* gradient);

// A member's rising cut points from its free numbers: the first, then steps of log(1 + exp(free number)).
void rising_cuts(const double* free, int count, double* cuts);
// The derivative by the free numbers, given that by the cut points.
void rising_cuts_gradient(const double* free, int count, const double* by_cut, double* gradient);

}  // namespace isotone
