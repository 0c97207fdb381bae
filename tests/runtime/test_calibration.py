"""Temperatures change probabilities and no tree."""

import numpy as np
import pytest

from rhetree.errors import ModelError
from rhetree.runtime.calibration import CalibratedNetwork, Temperatures, tempered
from rhetree.runtime.installed import find_model
from rhetree.runtime.model import load_runtime
from rhetree.runtime.model_files import Settings
from rhetree.runtime.pipeline import Pipeline
from support.fake_network import LABELS, FakeNetwork
from support.shipped import english_without

SENTENCES = [[f"w{n}" for n in range(length)] for length in (1, 4, 9, 17)]


@pytest.mark.parametrize("seed", range(3))
def test_temperatures_change_no_greedy_tree(seed):
    network = FakeNetwork(seed)
    warm = CalibratedNetwork(network, Temperatures(1.7, 0.6, 2.5))
    plain, found = (Pipeline(one, LABELS).analyse(SENTENCES) for one in (network, warm))
    assert [(one.edus, one.tree) for (one,) in found] == [(one.edus, one.tree) for (one,) in plain]
    assert [one.log_prob for (one,) in found] != [one.log_prob for (one,) in plain]


def test_a_temperature_flattens_a_distribution_and_keeps_what_is_impossible():
    log_probs = np.array([[np.log(0.8), np.log(0.2), -np.inf]], dtype=np.float32)
    assert np.exp(tempered(log_probs, 2.0)) == pytest.approx(np.array([[2 / 3, 1 / 3, 0]]))
    assert tempered(log_probs, 1) is log_probs


@pytest.mark.parametrize("value", [0, "warm", None, True, -1, 1e9, float("nan")])
def test_a_temperature_that_is_none_is_refused(value):
    with pytest.raises(ModelError, match=r"c\.json: runtime\.temperatures: .*label"):
        Temperatures.from_settings(Settings({"label": value}, "c.json: runtime.temperatures"))


def test_an_unknown_temperature_is_refused():
    with pytest.raises(ModelError, match="expected temperatures of segmenter, structure and label"):
        Temperatures.from_settings(Settings({"lable": 1.0}, "c.json"))


def test_a_model_without_temperatures_has_the_same_trees(tmp_path):
    folder = english_without(tmp_path / "model", "temperatures")
    models = [load_runtime(one, threads=1) for one in (folder, find_model("english"))]
    sentences = [
        ["She", "left", "early", "because", "it", "rained", ",", "but", "he", "stayed", "."],
        ["If", "so", ",", "why", "?"],
    ]
    plain, warm = (Pipeline(model.network, model.labels).analyse(sentences) for model in models)
    assert [(one.edus, one.tree) for (one,) in plain] == [(one.edus, one.tree) for (one,) in warm]
    assert [one.label_probs for (one,) in plain] != [one.label_probs for (one,) in warm]
