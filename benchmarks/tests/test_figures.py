"""Every figure is drawn from committed results alone, and can be read: labels on each axis, letters of eight points."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from benchmarks.figures import draw, style
from benchmarks.figures.draw import FIGURES, drawn
from benchmarks.figures.records import FOLDER, load, shortened

PAGE = style.FOLDER.parent / "figures.md"
LEAST = 8.0


def unlabelled(figure: Figure) -> list[str]:
    """Return the sides that have no name, neither on their own axes nor on axes that share them."""
    shown = [axes for axes in figure.axes if axes.axison and axes.get_label() != "<colorbar>"]
    missing = []
    for number, axes in enumerate(shown):
        for side in "xy":
            group = getattr(axes, f"get_shared_{side}_axes")().get_siblings(axes)
            if not any(getattr(each, f"get_{side}label")() for each in group):
                missing.append(f"{side} of axes {number}")
    return missing


def small_letters(figure: Figure) -> list[str]:
    """Return the texts below eight points."""
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    return [text.get_text() for text in texts if text.get_fontsize() < LEAST]


def canvas(**labels: str) -> tuple[Figure, Axes]:
    figure = Figure()
    axes = figure.add_subplot()
    axes.set(**labels)
    return figure, axes


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_drawn_from_committed_results(name, tmp_path):
    figure = drawn(name)
    assert unlabelled(figure) == []
    assert small_letters(figure) == []
    style.save(figure, tmp_path / "drawn.png")
    with Image.open(tmp_path / "drawn.png") as image:
        assert image.width == round(style.COLUMN * style.DOTS)
        # one colour means that nothing was drawn
        assert len(image.getcolors()) > 8
        corner = image.convert("RGBA").getpixel((0, 0))
    # opaque white: readable on a dark page as well
    assert corner == (255, 255, 255, 255)


def apart(first, second):
    """Return the share of pixels that differ, in two files of one size; one otherwise."""
    with Image.open(first) as one, Image.open(second) as other:
        pixels = [np.asarray(image.convert("RGB"), dtype=int) for image in (one, other)]
    if pixels[0].shape != pixels[1].shape:
        return 1.0
    # a digit more or less in a rasteriser is not another picture
    return float((np.abs(pixels[0] - pixels[1]).max(axis=2) > 32).mean())


@pytest.mark.parametrize("name", FIGURES)
def test_a_committed_picture_is_what_the_committed_results_draw(name, tmp_path):
    style.save(drawn(name), tmp_path / "drawn.png")
    assert apart(style.FOLDER / f"{name}.png", tmp_path / "drawn.png") < 0.002


def test_a_picture_of_other_results_is_caught(tmp_path):
    record = load("wave")
    record["found"]["sigmoid 128"], record["found"]["switch 128"] = (
        record["found"][name] for name in ("switch 128", "sigmoid 128")
    )
    (tmp_path / "wave.json").write_text(json.dumps(record))
    style.save(drawn("wave", tmp_path), tmp_path / "drawn.png")
    assert apart(style.FOLDER / "wave.png", tmp_path / "drawn.png") > 0.002


@pytest.mark.parametrize("name", FIGURES)
def test_the_page_shows_every_figure(name):
    assert f"](figures/{name}.png)" in PAGE.read_text()
    assert (style.FOLDER / f"{name}.png").is_file()


def test_drawing_loads_nothing_that_could_measure():
    drawing = [name for name in sys.modules if name.startswith("benchmarks.figures.draw_")]
    assert len(drawing) >= len(draw.FIGURES)
    loaded = {getattr(value, "__module__", "") for name in drawing for value in vars(sys.modules[name]).values()}
    assert not {name for name in loaded if name and name.split(".")[0] in {"torch", "isotone", "sklearn"}}


def test_one_command_measures_every_results_file():
    makefile = (style.FOLDER.parents[1] / "benchmarks" / "Makefile").read_text()
    asked = re.search(r"^FIGURE_RESULTS := (.*)$", makefile, re.MULTILINE)[1].split()
    scripts = {path.stem for path in Path(draw.__file__).parent.glob("measure_*.py")}
    assert scripts == {f"measure_{name}" for name in asked}
    assert "-m benchmarks.theory.leaky_floor" in makefile


def test_every_results_file_says_where_it_is_from():
    files = sorted(FOLDER.glob("*.json"))
    assert len(files) >= 8
    assert [path.name for path in files if not load(path.stem)["provenance"]["commit"]] == []


def test_a_result_that_is_missing_a_model_is_not_drawn(tmp_path):
    record = load("wave")
    del record["found"]["switch 256"]
    (tmp_path / "wave.json").write_text(json.dumps(record))
    with pytest.raises(KeyError, match="switch 256"):
        drawn("wave", tmp_path)


def test_an_axis_without_a_name_is_caught():
    assert unlabelled(canvas(xlabel="x")[0]) == ["y of axes 0"]
    assert unlabelled(canvas(xlabel="x", ylabel="y")[0]) == []


def test_small_letters_are_caught():
    figure, axes = canvas(xlabel="x", ylabel="y")
    axes.text(0, 0, "tiny", fontsize=6)
    assert small_letters(figure) == ["tiny"]


def test_results_are_rounded_to_six_digits():
    assert shortened({"a": [1.23456789, 2], "b": {3: True}}) == {"a": [1.23457, 2], "b": {"3": True}}


def layers_of(weights):
    """Return the waking weights of a network with one hidden switch and these weights, its units never below zero."""
    from benchmarks.figures.measure_collapse import awake
    from isotone.architecture import Architecture, Numeric, Parameters

    network = Architecture((Numeric(direction=1), Numeric()), hidden=(2,), free_hidden=(1,))
    numbers = {name: np.ones(shape) for name, shape in network.shapes.items()}
    numbers["trunk.1.weight"] = np.array([[weights]])
    return awake(network, Parameters(numbers), 0, np.linspace(0.0, 1.0, 8).reshape(4, 2))


def test_a_network_whose_every_weight_sleeps_is_cut():
    from benchmarks.figures.measure_collapse import is_cut

    assert [layer.tolist() for layer in layers_of([-1.0, 1.0])] == [[[False, True]]]
    assert not is_cut(layers_of([-1.0, 1.0]))
    assert is_cut(layers_of([-1.0, -1.0]))
    # each layer has a waking weight, but no path leads through both
    assert is_cut([np.array([[True, True], [False, False]]), np.array([[False, True]])])


def test_terraces_are_found_where_they_begin():
    from benchmarks.figures.measure_constructions import FINE, SIDE, terraces

    heights = 2.0 + 0.5 * (FINE > 0.0) + 1.5 * (FINE > 0.5)
    found = terraces(np.tile(heights, (len(SIDE), 1)))
    assert found["levels"] == [0.25, 1.0]
    starts = np.array(found["starts"])
    assert np.abs(starts - [[0.0], [0.5]]).max() < 0.01


@pytest.mark.parametrize("name", ["sigmoid", "sigmoid normalised"])
def test_committed_gradients_are_those_that_the_code_measures(name, monkeypatch):
    from benchmarks.figures import measure_gradients

    monkeypatch.setattr(measure_gradients, "DEPTHS", (4,))
    monkeypatch.setattr(measure_gradients, "SPANS", ())
    record = load("gradient-depth")
    stored, place = record["found"][name], record["depths"].index(4)
    found = measure_gradients.by_depth(name)
    for part in ("output", "loss", "near"):
        assert found[part][0]["mean"] == pytest.approx(stored[part][place]["mean"], rel=1e-3)
    # in single precision, where sums in another order leave something else of what normalisation cancels
    assert found["ratio"][0] == pytest.approx(stored["ratio"][place], rel=1e-2)


def test_committed_units_are_those_that_the_code_evaluates():
    from benchmarks.figures import measure_representable

    stored, found = load("representable"), shortened(measure_representable.units())
    assert {name: stored[name] for name in found} == found
