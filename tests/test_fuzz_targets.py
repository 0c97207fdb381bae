"""Whatever bytes a reader gets, it reads or refuses them. The long form is a campaign, guided by coverage."""

from itertools import islice

import pytest

from support.fuzz_targets import TARGETS, kept_inputs
from support.hostile_files import mutations

SLOW = ("HTTP", "JSON", "model graph in")
"""Targets of which a run takes a millisecond or more."""


@pytest.fixture
def n(request):
    return 5000 if request.config.getoption("--slow") else 60


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_reads_or_refuses_what_was_mutated(name, n):
    target = TARGETS[name]
    seeds = target.seeds()
    for data in (b"", *seeds, *islice(mutations(seeds, 1), n if name.startswith(SLOW) else 4 * n)):
        target.run(data)


@pytest.mark.parametrize("name", TARGETS)
def test_what_was_found_once_is_mended(name):
    for path in kept_inputs(name):
        TARGETS[name].run(path.read_bytes())


def test_every_kept_input_belongs_to_a_target():
    from support.fuzz_targets import GOLDEN

    kept = set((GOLDEN / "fuzz").glob("*"))
    assert kept, "there are none: the test above tries nothing"
    assert kept == {path for name in TARGETS for path in kept_inputs(name)}
