"""Compares Rhetree with the same network decoded one sentence at a time in torch, as public implementations do.

The loop below works like these: it encodes one sentence, takes one decoder step after the other, reads
each choice from a tensor, and labels each split as it is found. It uses the weights of the model that
was exported.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from rhetree.domain.span import Span
from rhetree.learning.model import load_model
from rhetree.learning.networks.joint import DiscourseNetwork
from speed_sentences import gum_documents, sentences_of
from speed_timing import in_turns, shortest

TITLE = "Against the same network, one sentence at a time in torch"
LOOP, OURS, OURS_ALONE = "torch, one at a time", "Rhetree", "Rhetree, one at a time"


def measure(
    model: Path, trained: Path, gum: Path, *, n_sentences: int, turns: int, threads: list[int]
) -> dict:
    from rhetree.runtime.parser import load

    network = load_model(trained).network.eval()
    sentences = sentences_of(gum_documents(gum, "dev"))
    sentences = sentences[:: max(1, len(sentences) // n_sentences)][:n_sentences]
    record: dict = {"sentences": len(sentences), "turns": turns, "threads": {}}
    for n in threads:
        parser = load(model, threads=n)
        torch.set_num_threads(n)
        ways = {
            LOOP: lambda: list(decode_one_by_one(network, sentences)),
            OURS: lambda parser=parser: parser.parse_tokens(sentences),
            OURS_ALONE: lambda parser=parser: [parser.parse_tokens([sentence]) for sentence in sentences],
        }
        times = in_turns(ways, turns)
        record["threads"][str(n)] = {name: own.to_dict() for name, own in times.items()}
    ours = [reading[0] for reading in load(model).parse_tokens(sentences).readings]
    plain = list(decode_one_by_one(network, sentences))
    record["same EDUs"] = sum(a.edus == edus for a, (edus, _) in zip(ours, plain, strict=True))
    record["same trees"] = sum(
        a.edus == edus and [tuple(split) for split in _places(a.tree)] == [split[:3] for split in splits]
        for a, (edus, splits) in zip(ours, plain, strict=True)
    )
    return record


def tables(record: dict) -> Iterator[str]:
    n = record["sentences"]
    yield f"{n} sentences of GUM's dev split; shortest of {record['turns']} turns.\n"
    yield "| threads | | sentences/s | times as fast |"
    yield "| --- | --- | --- | --- |"
    for threads, times in record["threads"].items():
        seconds = shortest(times, threads)
        for name, own in seconds.items():
            yield f"| {threads} | {name} | {n / own:,.0f} | {seconds[LOOP] / own:.1f} |"
    yield ""
    yield (
        f"Of the {n} sentences, {record['same EDUs']} get the same EDUs from both, and {record['same trees']} "
        "the same tree; the exported encoder has lower precision."
    )


@torch.inference_mode()
def decode_one_by_one(
    network: DiscourseNetwork, sentences: Sequence[Sequence[str]]
) -> Iterator[tuple[tuple[Span, ...], list[tuple[int, int, int, str]]]]:
    """Find the EDUs and splits of each sentence, greedily."""
    segmenter, parser, classifier = network.segmenter, network.parser, network.classifier
    row = torch.tensor([0])
    for tokens in sentences:
        encoding = network.encode([tokens])
        states = encoding.states
        hidden = segmenter.decoder.start(states.final)
        keys = segmenter.pointer.prepare(states.tokens)
        inputs = segmenter.inputs(encoding.embeddings, states)
        edges = [0]
        while edges[-1] < len(tokens):
            start = edges[-1]
            output, hidden = segmenter.decoder(inputs[:, start : start + 1], hidden)
            log_probs = segmenter.point(output, keys, torch.tensor([[start]]), encoding.lengths)
            edges.append(int(log_probs[0, 0].argmax()) + 1)

        units = parser.represent.prepare(states.tokens)
        label_units = classifier.spans.prepare(states.tokens)
        hidden = parser.decoder.start(states.final)
        keys = parser.pointer.prepare(states.tokens)
        splits = []
        nothing = (0, 0)
        waiting = [((0, len(edges) - 1), nothing, nothing)]
        while waiting:
            (start, end), parent, sibling = waiting.pop()
            if end - start < 2:
                continue
            middle = start + 1
            if end - start > 2:
                spans = [torch.tensor([[edges[a], edges[b]]]) for a, b in ((start, end), parent, sibling)]
                output, hidden = parser.decoder(
                    parser.represent.inputs(units, row, *spans).unsqueeze(1), hidden
                )
                candidates = [edges[edu + 1] - 1 for edu in range(start, end - 1)]
                allowed = torch.ones(1, 1, len(candidates), dtype=torch.bool)
                log_probs = parser.pointer(output, keys[:, candidates], allowed)
                middle = start + 1 + int(log_probs[0, 0].argmax())
            parts = [
                classifier.spans(label_units, row, torch.tensor([[edges[a], edges[b]]]))
                for a, b in ((start, middle), (middle, end))
            ]
            label = network.labels[int(classifier(*parts)[0].argmax())]
            splits.append((start, middle, end, label))
            waiting.append(((middle, end), (start, end), (start, middle)))
            waiting.append(((start, middle), (start, end), nothing))
        yield tuple(map(Span, edges[:-1], edges[1:])), splits


def _places(tree) -> Iterator[tuple[int, int, int]]:
    return ((split.start, split.split, split.end) for split in tree.splits)
