"""The timed variants of a switch are the same function, or the script that times them refuses to."""

from __future__ import annotations

import argparse

import pytest
import torch

from benchmarks.speed import switch_gemm


def leaves() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch.randn(8, 16), torch.randn(16, 16), torch.randn(16)


@pytest.mark.parametrize("form", switch_gemm.VARIANTS)
def test_the_variants_agree_with_the_layer_that_ships(form: str) -> None:
    assert switch_gemm.disagreement(form, leaves()) <= switch_gemm.allowed(16, torch.float32)


def test_a_variant_that_computes_something_else_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(switch_gemm.VARIANTS["post"], "one", switch_gemm.post_linear)
    options = argparse.Namespace(device="cpu", dtype="float32", threads=1, turns=1, seconds=0.0)
    with pytest.raises(ValueError, match="apart, so their times do not compare"):
        switch_gemm.measure((8, 16, 16), "post", options)
