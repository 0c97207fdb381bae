"""Measures how fast a network trains: the loss of a whole batch at once, against a loop over sentences and steps.

    python benchmarks/training_speed.py [--sentences 256] [--batch-size 32] [--threads 1] [--rounds 3]

Both have the same weights and no dropout, and must give the same losses. The loop works like public
implementations: one sentence and one decoder step at a time. Embeddings are random, so that the
networks are timed and not a pretrained encoder, which costs the same in both. Sentences are from GUM's
training split if RHETREE_GUM names its folder, otherwise made up with GUM's sizes: 18 tokens and 2.3
EDUs on average.
"""

import argparse
import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from rhetree.domain.span import spans_of_lengths
from rhetree.domain.tree import NUCLEARITIES, Split, Tree
from rhetree.learning.embeddings import EmbeddingConfig, make_embedder
from rhetree.learning.networks.joint import DiscourseNetwork, NetworkConfig
from rhetree.learning.networks.segmenter import PointerSegmenter
from rhetree.learning.targets import SentenceExample, labels_of, sentence_examples
from rhetree.learning.training.batches import shuffled_batches

RELATIONS = ("attribution", "causal", "elaboration", "joint", "same-unit")
Losses = dict[str, Tensor]


def main() -> None:
    parser = argparse.ArgumentParser(description="Time a batched loss against a plain loop.")
    parser.add_argument("--sentences", type=int, default=256)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    examples, source = load_examples(args.sentences)
    n_edus = sum(len(example.edu_lengths) for example in examples)
    n_tokens = sum(len(example.tokens) for example in examples)
    print(
        f"{len(examples)} sentences {source}: {n_tokens / len(examples):.1f} tokens and "
        f"{n_edus / len(examples):.1f} EDUs on average; batches of {args.batch_size}; "
        f"{args.threads} thread(s); torch {torch.__version__}"
    )
    numbers = shuffled_batches([len(example.tokens) for example in examples], args.batch_size, 1, 0)
    for name, layers in (("the paper's six layers", 6), ("one layer", 1)):
        network = make_network(examples, layers)
        batches = [[examples[number] for number in batch] for batch in numbers]
        check_same(network, batches[0])
        plain, batched = (
            min(seconds_to_learn(network, batches, loss) for _ in range(args.rounds))
            for loss in (plain_losses, DiscourseNetwork.forward)
        )
        print(
            f"{name}: {len(examples) / plain:,.0f} sentences a second in a loop, "
            f"{len(examples) / batched:,.0f} in batches: {plain / batched:.1f} times as fast"
        )


def plain_losses(network: DiscourseNetwork, examples: Sequence[SentenceExample]) -> Losses:
    """The same losses, sentence by sentence and step by step."""
    segmenter, parser, classifier = network.segmenter, network.parser, network.classifier
    assert isinstance(segmenter, PointerSegmenter)
    assert parser is not None
    assert classifier is not None
    ends, places, labels = [], [], []
    for example in examples:
        encoding = network.encode([example.tokens])
        states = encoding.states
        edus = spans_of_lengths(example.edu_lengths)
        row = torch.tensor([0])

        hidden = segmenter.decoder.start(states.final)
        keys = segmenter.pointer.prepare(states.tokens)
        for edu in edus:
            inputs = segmenter.inputs(encoding.embeddings, states)[:, edu.start : edu.start + 1]
            output, hidden = segmenter.decoder(inputs, hidden)
            log_probs = segmenter.point(output, keys, torch.tensor([[edu.start]]), encoding.lengths)
            ends.append(log_probs[0, 0, edu.end - 1])

        if example.tree is None:
            continue
        edges = [0, *(edu.end for edu in edus)]
        units = parser.represent.prepare(states.tokens)
        label_units = classifier.spans.prepare(states.tokens)
        hidden = parser.decoder.start(states.final)
        keys = parser.pointer.prepare(states.tokens)
        around: dict[tuple[int, int], tuple[tuple[int, int], tuple[int, int]]] = {}
        for split in example.tree.splits:
            whole, left = (split.start, split.end), (split.start, split.split)
            around[left], around[split.split, split.end] = (whole, (0, 0)), (whole, left)
            if split.end - split.start > 2:
                parent, sibling = around.get(whole, ((0, 0), (0, 0)))
                spans = [
                    torch.tensor([[edges[start], edges[end]]]) for start, end in (whole, parent, sibling)
                ]
                inputs = parser.represent.inputs(units, row, *spans).unsqueeze(1)
                output, hidden = parser.decoder(inputs, hidden)
                candidates = [edges[edu + 1] - 1 for edu in range(split.start, split.end - 1)]
                allowed = torch.ones(1, 1, len(candidates), dtype=torch.bool)
                log_probs = parser.pointer(output, keys[:, candidates], allowed)
                places.append(log_probs[0, 0, split.split - split.start - 1])
            parts = [
                classifier.spans(label_units, row, torch.tensor([[edges[start], edges[end]]]))
                for start, end in (left, (split.split, split.end))
            ]
            labels.append(classifier(*parts)[0, network.labels.index(split.label)])
    found = {"segmentation": ends, "structure": places, "label": labels}
    return {name: -torch.stack(log_probs).mean() for name, log_probs in found.items() if log_probs}


def seconds_to_learn(
    network: DiscourseNetwork,
    batches: Sequence[Sequence[SentenceExample]],
    losses: Callable[[DiscourseNetwork, Sequence[SentenceExample]], Losses],
) -> float:
    start = time.perf_counter()
    for batch in batches:
        network.zero_grad()
        torch.stack(list(losses(network, batch).values())).sum().backward()
    return time.perf_counter() - start


def check_same(network: DiscourseNetwork, examples: Sequence[SentenceExample]) -> None:
    with torch.no_grad():
        plain, batched = plain_losses(network, examples), network(examples)
    for name, loss in plain.items():
        torch.testing.assert_close(loss, batched[name], rtol=1e-4, atol=1e-5)


def make_network(examples: Sequence[SentenceExample], layers: int) -> DiscourseNetwork:
    config = NetworkConfig(embedding=EmbeddingConfig(kind="random"))
    parts = {
        name: replace(getattr(config, name), layers=layers) for name in ("encoder", "segmenter", "parser")
    }
    embedder = make_embedder(config.embedding, [example.tokens for example in examples])
    # Evaluation mode turns off dropout, which would differ between the two; gradients are the same.
    return DiscourseNetwork(replace(config, **parts), embedder, labels_of(examples)).eval()


def load_examples(n: int) -> tuple[list[SentenceExample], str]:
    """Sentences in random order, and their source."""
    chance = random.Random(1)
    if folder := os.environ.get("RHETREE_GUM"):
        from rhetree.corpora.corpus import read_corpus

        examples = sentence_examples(read_corpus(Path(folder)).split_by_sentence().split("train"))
        return chance.sample(examples, n), "of GUM"
    return [made_up(chance) for _ in range(n)], "made up"


def made_up(chance: random.Random) -> SentenceExample:
    n_tokens = min(100, 2 + int(chance.expovariate(1 / 16)))
    cuts = [token for token in range(2, n_tokens - 1) if chance.random() < 0.08]
    edges = [0, *cuts, n_tokens]
    splits, waiting = [], [(0, len(edges) - 1)]
    while waiting:
        start, end = waiting.pop()
        if end - start > 1:
            middle = chance.randrange(start + 1, end)
            splits.append(Split(start, middle, end, chance.choice(NUCLEARITIES), chance.choice(RELATIONS)))
            waiting += [(middle, end), (start, middle)]
    return SentenceExample(
        tuple(f"w{chance.randrange(2000)}" for _ in range(n_tokens)),
        tuple(end - start for start, end in zip(edges, edges[1:], strict=False)),
        Tree(tuple(splits)),
    )


if __name__ == "__main__":
    main()
