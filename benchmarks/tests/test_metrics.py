import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from benchmarks import metrics
from benchmarks.peers.interface import Kind

TRUTH = np.array([0.0, 1.0, 1.0, 0.0])
CHANCE = np.array([0.2, 0.7, 0.4, 0.4])


def test_binary_figures_agree_with_hand_and_scikit_learn():
    figures = metrics.scores(Kind.BINARY, TRUTH, CHANCE, np.array([0.0, 1.0]))
    assert figures["accuracy"] == 0.75
    assert figures["log_loss"] == pytest.approx(log_loss(TRUTH, CHANCE), rel=1e-12)
    # pairs: (.7 > .2), (.7 > .4), (.4 > .2), (.4 = .4 counts half)
    assert figures["auc"] == roc_auc_score(TRUTH, CHANCE) == 3.5 / 4


def test_a_sure_mistake_costs_what_the_margin_allows():
    assert metrics.surprise(np.array([1.0]), np.array([0.0]))[0] == pytest.approx(-np.log(metrics.PROBABILITY_MARGIN))


def test_regression_figures_by_hand():
    figures = metrics.scores(Kind.REGRESSION, np.array([1.0, 2.0]), np.array([1.0, 5.0]), np.array([1.0, 2.0]))
    assert figures == {"rmse": 4.5**0.5, "mse": 4.5, "mae": 1.5}


def test_rank_error_counts_levels_not_units():
    levels = np.array([1.0, 2.0, 10.0])
    # 5.9 is nearest to 2, 6.1 to 10; -3 to 1
    assert metrics.rank_error(levels, np.array([1.0, 1.0, 10.0]), np.array([5.9, 6.1, -3.0])) == (1 + 2 + 2) / 3


@pytest.mark.parametrize("metric", sorted(metrics.LOSS_OF))
def test_blocks_of_equal_size_average_to_the_whole(metric):
    random = np.random.default_rng(0)
    truth, prediction = (random.random(40) > 0.5).astype(float), random.random(40)
    parts = metrics.blocks(metric, truth, prediction)
    assert len(parts) == metrics.BLOCKS
    assert np.mean(parts) == pytest.approx(metrics.LOSS_OF[metric](truth, prediction).mean(), rel=1e-12)
