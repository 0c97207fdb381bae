"""A model without a network in it, for what stands around networks."""

from pathlib import Path

from rhetree.runtime.document_model import DocumentModel
from rhetree.runtime.model import RuntimeModel
from rhetree.runtime.parser import Parser
from support.document_trees import FakeDocumentNetwork
from support.fake_network import LABELS, FakeNetwork

JOINING = ("joint-NN", "elaboration-NS")
IDENTITY = "fake 0"


def fake_parser(task="joint", *, joins=False, **settings):
    """A parser with the fake network.

    :param joins: whether it has a fake model for documents, too
    """
    network = FakeNetwork(segments=task != "parse", parses=task != "segment")
    about = {"recipe": {"network": {"task": task}}}
    model = RuntimeModel(network=network, labels=LABELS, about=about, folder=Path("fake"), identity=IDENTITY)
    parser = Parser(model, **settings)
    if joins:
        parser._document_model = DocumentModel(
            network=FakeDocumentNetwork(n_labels=len(JOINING)),
            labels=JOINING,
            about=about,
            folder=Path("fake-document"),
            identity="fake-document 0",
        )
    return parser
