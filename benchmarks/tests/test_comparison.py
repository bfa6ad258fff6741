import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from benchmarks import comparison


def test_the_corrected_test_by_hand():
    # differences 1, 2, 3: mean 2, variance 1; error sqrt(1/3 + 1/2) = 0.912871; t = 2.190890 with 2 degrees of freedom,
    # whose two-sided p is 1 - t / sqrt(2 + t^2) = 1 - 2.190890 / sqrt(6.8)
    statistic, p = comparison.corrected_t_test([1.0, 2.0, 3.0], scored_share=0.5)
    assert statistic == pytest.approx(2 / math.sqrt(5 / 6), rel=1e-12)
    assert p == pytest.approx(1 - math.sqrt(4.8 / 6.8), rel=1e-12)


def test_without_overlap_it_is_the_paired_t_test():
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 12))
    ordinary = ttest_rel(a, b)
    assert comparison.corrected_t_test(a - b, 0.0) == pytest.approx((ordinary.statistic, ordinary.pvalue), rel=1e-12)


def test_the_correction_keeps_its_level_where_the_ordinary_test_does_not():
    # resamples that share a common part, as those of one table do: correlation 1/3 for two thirds shared rows
    random = np.random.default_rng(1)
    shared, own = random.normal(size=(2000, 1)), random.normal(size=(2000, 30))
    differences = math.sqrt(1 / 3) * shared + math.sqrt(2 / 3) * own

    def rejected(share):
        return np.mean([comparison.corrected_t_test(row, share)[1] < 0.05 for row in differences])

    # 2000 draws: a rate of 5 % is known to half a point
    assert rejected(0.5) < 0.07
    assert rejected(0.0) > 0.4


def test_equal_runs_do_not_differ_and_constant_gaps_do():
    assert comparison.corrected_t_test([0.0, 0.0], 0.5) == (0.0, 1.0)
    assert comparison.corrected_t_test([-1.0, -1.0], 0.5) == (-math.inf, 0.0)


def test_one_resample_is_refused():
    with pytest.raises(ValueError, match="at least 2 resamples; it was given 1"):
        comparison.corrected_t_test([1.0], 0.5)


LOSSES = np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 3.0], [5.0, 4.0, math.nan]])


def test_mean_ranks_share_ties_and_put_failures_last():
    # rows rank 1 2 3; 1.5 1.5 3; 2 1 3
    assert comparison.mean_ranks(LOSSES).tolist() == [4.5 / 3, 4.5 / 3, 3]


def test_leaving_a_table_out_by_hand():
    low, high = comparison.leave_one_out(LOSSES)
    assert low.tolist() == [1.25, 1.25, 3]
    assert high.tolist() == [1.75, 1.75, 3]
    assert comparison.chosen_without(LOSSES).tolist() == [1, 0, 0]


def test_the_best_is_found_and_the_rest_tested_against_it():
    runs = {"a": np.array([1.0, 1.1, 0.9]), "b": np.array([2.0, 2.2, 1.9]), "c": np.array([1.0, 1.2, 0.9])}
    best, p = comparison.against_best(runs, 0.5)
    assert best == "a"
    assert p["a"] == 1
    assert p["b"] < 0.05 < p["c"]
