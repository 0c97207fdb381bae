"""The scores by which training selects a document network: nodes above sentences, with gold EDUs and sentence trees."""

from collections.abc import Sequence

from rhetree.learning.documents.network import DocumentNetwork, TorchDocumentNetwork
from rhetree.learning.documents.targets import DocumentExample
from rhetree.metrics.counts import Counts
from rhetree.runtime.document_search import find_joints

SCORES = ("span", "full")
"""Original Parseval of the nodes above sentences, in percent."""


def score_documents(network: DocumentNetwork, examples: Sequence[DocumentExample]) -> dict[str, float]:
    """Join gold sentences, and compare the nodes above them with gold."""
    reader = TorchDocumentNetwork(network)
    n_span = n_full = n_found = n_gold = 0
    for example in examples:
        read = reader.read(example.tokens, example.units, example.name)
        joints = find_joints(read, example.units)
        n_gold += len(example.above)
        if not len(joints.places):
            continue
        labels = read.label_log_probs(joints.places).argmax(axis=1).tolist()
        for (start, _, end), label in zip(joints.places.tolist(), labels, strict=True):
            wanted = example.above.get((start, end))
            n_found += 1
            n_span += wanted is not None
            n_full += wanted == network.labels[label]
    counts = (Counts(n_span, n_found, n_gold), Counts(n_full, n_found, n_gold))
    return {name: round(100 * count.f1, 4) for name, count in zip(SCORES, counts, strict=True)}
