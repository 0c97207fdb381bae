"""A model without a network in it, for what stands around networks."""

from pathlib import Path

from rhetree.runtime.model import RuntimeModel
from rhetree.runtime.parser import Parser
from support.fake_network import LABELS, FakeNetwork

IDENTITY = "fake 0"


def fake_parser(task="joint", **settings):
    network = FakeNetwork(segments=task != "parse", parses=task != "segment")
    about = {"recipe": {"network": {"task": task}}}
    model = RuntimeModel(network=network, labels=LABELS, about=about, folder=Path("fake"), identity=IDENTITY)
    return Parser(model, **settings)
