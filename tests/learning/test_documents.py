"""A network learns to join sentences, leaves torch, and joins them in the same way there."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from rhetree.cli.main import main
from rhetree.corpora.corpus import read_corpus
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from rhetree.errors import ModelError, SettingError, TrainingError
from rhetree.learning.documents.loading import load_network
from rhetree.learning.documents.network import (
    DocumentLossConfig,
    DocumentNetwork,
    DocumentNetworkConfig,
    TorchDocumentNetwork,
)
from rhetree.learning.documents.scoring import score_documents
from rhetree.learning.documents.targets import document_examples, labels_of
from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.transformer import TransformerEmbedder
from rhetree.learning.export import export_model
from rhetree.learning.training.experiment import run
from rhetree.learning.training.recipe import read_recipe
from rhetree.runtime.document_model import SCORES, load_document_model
from rhetree.runtime.document_search import find_joints
from rhetree.runtime.parser import load
from rhetree.runtime.steps import finish
from support import training_runs
from support.document_trees import SMALL_NETWORK, in_one_tree, plain, write_trees
from support.rst_dt import write_rst_dt
from support.tiny_encoders import save_encoder

SMALL = (
    *SMALL_NETWORK,
    "network.dropout=0.1",
    "optimizer.learning_rate=0.01",
    "train.epochs=2",
)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return save_encoder(tmp_path_factory.mktemp("encoder") / "tiny")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_trees(tmp_path_factory.mktemp("corpus") / "trees")


def recipe(corpus, encoder, *assignments):
    settings = (*SMALL, f"data.corpus={corpus}", f"network.embedding.path={encoder}", *assignments)
    return read_recipe(None, settings)


@pytest.fixture(scope="module")
def trained(corpus, encoder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "run"
    events = list(run(recipe(corpus, encoder), folder))
    return folder / "model", events


@pytest.fixture(scope="module")
def exported(trained, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported") / "model"
    export_model(trained[0], folder, precision="fp32", card="Joins sentences.\n")
    return folder


def example_of(document):
    (example,) = document_examples([document])
    return example


def network_of(encoder, labels, *, from_layer=1, hidden_pieces=0.0, **settings):
    torch.manual_seed(1)
    embedding = EmbeddingConfig(
        kind="transformer",
        path=str(encoder),
        tuning="tuned",
        from_layer=from_layer,
        hidden_pieces=hidden_pieces,
        encoder_dropout=0.0,
        window=24,
    )
    config = DocumentNetworkConfig(embedding=embedding, overlap=6, layers=1, width=8, dropout=0.0, **settings)
    return DocumentNetwork(config, TransformerEmbedder.create(embedding), labels)


# --- what is learnt -------------------------------------------------------------------------


def test_the_best_splits_lead_back_to_the_gold_tree():
    gold = in_one_tree(plain())
    example = example_of(gold)
    assert sorted(example.gold_spans()) == sorted((split.start, split.end) for split in gold.tree.splits)
    assert labels_of([example]) == ("cause-NS", "elaboration-NS", "heading-SN", "list-NN")
    assert set(example.above) == {(0, 9), (1, 9), (1, 4), (4, 9), (6, 9)}


def test_a_node_across_a_sentence_edge_is_left_to_the_nearest_tree():
    document = plain((("We sat , because it rained .", "It rained ."),))
    crossing = Tree((Split(0, 1, 3, "NS", "cause"), Split(1, 2, 3, "NS", "elaboration")))
    example = example_of(replace(document, tree=crossing))
    assert example.gold_spans() == [(0, 3), (0, 2)]
    assert example.labels[2] == "elaboration-NS"
    assert set(example.above) == {(0, 3), (1, 3)}


def test_documents_without_a_tree_or_with_crossing_edus_teach_nothing():
    document = in_one_tree(plain())
    crossing = replace(document.without_trees(), edus=(Span(0, 4), Span(4, len(document.tokens))))
    crossing = replace(crossing, tree=Tree((Split(0, 1, 2, "NS", "cause"),)))
    assert document_examples([plain(), crossing]) == []


def test_a_network_learns_two_documents_and_every_weight_gets_a_gradient(encoder):
    examples = [example_of(in_one_tree(plain(name=name))) for name in ("a", "")]
    network = network_of(encoder, labels_of(examples))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(40):
        optimizer.zero_grad()
        losses = network(examples)
        sum(losses.values()).backward()
        optimizer.step()
    without = [
        name for name, weight in network.named_parameters() if weight.requires_grad and weight.grad is None
    ]
    assert without == []
    assert score_documents(network.eval(), examples) == {"span": 100.0, "full": 100.0}


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_frozen_layers_are_computed_once_for_each_document(tmp_path, kind):
    example = example_of(in_one_tree(plain(name="kept")))
    network = network_of(save_encoder(tmp_path, kind), labels_of([example]), from_layer=2).eval()
    lowest = network.embedder.encoder.encoder.layer[0]
    calls = []
    lowest.register_forward_hook(lambda *_: calls.append(1))
    first, again = network.words(example.tokens, "kept"), network.words(example.tokens, "kept")
    assert len(calls) == 1
    assert torch.equal(first, again)
    whole = network.words(example.tokens)
    assert len(calls) == 2
    assert torch.allclose(first, whole, atol=0.05)  # what is kept has bfloat16's precision
    network.train()
    sum(network.losses(example).values()).backward()
    assert all(weight.grad is not None for weight in network.parameters() if weight.requires_grad)


def test_pieces_may_be_hidden_in_training_alone(encoder):
    example = example_of(in_one_tree(plain()))
    network = network_of(encoder, labels_of([example]), hidden_pieces=0.5)
    whole = network.eval().words(example.tokens)
    assert torch.equal(whole, network.words(example.tokens))
    network.train()
    once, again = (network.words(example.tokens) for _ in range(2))
    assert not torch.allclose(once, again)
    assert not torch.allclose(once, whole)


def test_a_loss_may_leave_out_sentences_and_exploration(encoder):
    example = example_of(in_one_tree(plain()))
    loss = DocumentLossConfig(inside=0.0, explored=0.0)
    losses = network_of(encoder, labels_of([example]), loss=loss).losses(example)
    assert losses["inside_structure"].item() == losses["inside_label"].item() == 0
    assert losses["above_structure"].item() > 0


def test_splits_that_are_explored_have_no_labels(encoder):
    example = example_of(in_one_tree(plain()))
    network = network_of(encoder, labels_of([example])).eval()
    words = network.words(example.tokens)
    states = network.states(words, example.units)
    prepared = network.splitter.prepare(states, torch.from_numpy(example.units.is_head))
    assert (0, 9) in network.explore(example, prepared)


# --- training and export --------------------------------------------------------------------


def test_training_by_a_recipe_writes_a_model(trained):
    folder, events = trained
    assert [event.epoch for event in events if hasattr(event, "scores")] == [1, 2]
    assert set(events[-1].scores) == {"span", "full"}
    network, own, about = load_network(folder)
    assert own.network.task == "document"
    assert network.labels == ("cause-NS", "elaboration-NS", "heading-SN", "list-NN")
    assert about["data"]["documents"] == 3


def test_training_goes_on_where_it_stopped(corpus, encoder, tmp_path):
    list(run(recipe(corpus, encoder, "train.epochs=1"), tmp_path / "run"))
    events = list(run(recipe(corpus, encoder), tmp_path / "run", resume=True))
    assert [event.epoch for event in events if hasattr(event, "scores")] == [2]


def test_an_exported_network_scores_as_torch_does(trained, exported):
    network, _, _ = load_network(trained[0])
    example = example_of(in_one_tree(plain()))
    model = load_document_model(exported, threads=1)
    assert model.labels == network.labels
    one = TorchDocumentNetwork(network).read(example.tokens, example.units)
    other = finish(model.network.read_in_steps(example.tokens, example.units))
    places = np.array([(start, middle, 9) for start in range(9) for middle in range(start + 1, 9)])
    np.testing.assert_allclose(one.split_scores(places), other.split_scores(places), atol=1e-4)
    np.testing.assert_allclose(one.label_log_probs(places), other.label_log_probs(places), atol=1e-4)
    joints = find_joints(other, example.units)
    assert joints.places.tolist() == find_joints(one, example.units).places.tolist()


def test_int8_and_weights_can_be_exported(trained, tmp_path):
    export_model(trained[0], tmp_path / "small", weights=True)
    assert load_document_model(tmp_path / "small").labels
    network, _, _ = load_network(tmp_path / "small")
    assert network.labels


def test_article_level_rst_dt_is_learnt(encoder, tmp_path):
    folder = write_rst_dt(tmp_path / "rst-dt")
    assignments = ("data.dev_share=0.2", "train.epochs=1", "data.unseen_labels=ignore", "data.lenient=true")
    events = list(run(recipe(folder, encoder, *assignments), tmp_path / "run"))
    assert set(events[-1].scores) == {"span", "full"}
    network, _, about = load_network(tmp_path / "run" / "model")
    assert about["data"]["relations"] == "rst-dt"
    assert "Elaboration-NS" in network.labels, network.labels


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("network.embedding.piece=mean", "embedding.piece is 'first' or 'last'"),
        ("network.embedding.hidden_pieces=0.1", "hidden_pieces is 0 above frozen layers"),
        ("network.overlap=-1", "overlap is at least 0"),
        ("network.width=0", "width is at least 1"),
        ("network.loss.inside=-1", "inside is at least 0"),
        ("distillation.share=1.5", "distillation: share must be between 0 and 1"),
        ("distillation.texts=['a.conllu']", "distillation: texts need teachers"),
        ("network.embedding.tuning=mix", "words must know their document"),
        ("network.segmenter.width=3", "unknown setting network.segmenter"),
    ],
)
def test_wrong_settings_are_named(corpus, encoder, assignment, message):
    change = [assignment]
    if "mix" in assignment:
        change.append("network.embedding.from_layer=0")
    with pytest.raises(SettingError, match=message):
        recipe(corpus, encoder, *change)


def test_wrong_runs_are_refused(corpus, encoder, tmp_path):
    with pytest.raises(SettingError, match="train.select must be one of span, full"):
        list(run(recipe(corpus, encoder, "train.select=segmentation"), tmp_path / "run"))
    with pytest.raises(SettingError, match="trained on the CPU"):
        list(run(recipe(corpus, encoder), tmp_path / "run", device="cuda"))
    sentences = training_runs.write_corpus(tmp_path / "sentences")
    with pytest.raises(TrainingError, match="has no document with one tree over several sentences"):
        list(run(recipe(sentences, encoder), tmp_path / "run"))


def test_labels_that_only_dev_has_are_refused(corpus, encoder, tmp_path):
    from rhetree.formats import write

    other = write_trees(tmp_path / "trees")
    (document,) = read_corpus(other, split="dev").split("dev")
    write(document.map_relations(lambda name: f"my-{name}"), other / "doc3.json")
    with pytest.raises(TrainingError, match="labels that 'train' lacks: my-"):
        list(run(recipe(other, encoder), tmp_path / "run"))


# --- at work --------------------------------------------------------------------------------

TEXT = """The Cat

We went home, because it rained. The cat sat on a mat.

It rained, and then the cat went home. We sat. The cat sat, because we sat."""


@pytest.fixture(scope="module")
def parser(exported, corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sentences")
    training_runs.train(corpus, folder / "run", "train.epochs=1")
    export_model(folder / "run" / "model", folder / "model", precision="fp32")
    return load(folder / "model", threads=1, document_model=exported)


def test_a_text_becomes_one_tree_whose_sentences_are_as_before(parser):
    alone = parser.parse(TEXT)
    whole = parser.parse(TEXT, level="document")
    assert whole.tree.n_edus == len(alone.edus)
    assert whole.readings == alone.readings
    assert whole.split_by_sentence().sentence_trees == alone.sentence_trees
    assert len(whole.split_probs) == len(alone.sentences) - 1
    assert whole.metadata["document model"].startswith("model ")
    paragraphs = parser.parse(TEXT, level="paragraph")
    assert paragraphs.tree.n_edus == len(alone.edus)


def test_company_and_threads_change_no_document(parser, exported):
    texts = [TEXT, "We sat.", TEXT * 4, "", "It rained. It rained. We sat."]
    alone = [parser.parse(text, level="document") for text in texts]
    assert list(parser.parse_many(texts, level="document")) == alone
    again = load(parser.model.folder, threads=3, batch_cost=64, document_model=exported)
    assert list(again.parse_many(texts, level="document")) == alone


def test_edus_and_tokens_can_be_joined_too(parser):
    edus = parser.parse_edus(["We sat,", "because it rained.", "It rained."], level="document")
    assert edus.tree.n_edus == 3
    tokens = parser.parse_tokens([["We", "sat", "."], ["It", "rained", "."]], level="document")
    assert tokens.tree.n_edus >= 2
    given = parser.parse_tokens([["We", "sat", "."], ["We", "sat", "."]], [(0, 3), (3, 6)], level="document")
    assert given.tree.n_edus == 2


def test_levels_and_models_that_do_not_fit_are_refused(parser, exported, trained, tmp_path):
    with pytest.raises(ValueError, match="level is one of 'sentence', 'paragraph', 'document', got 'page'"):
        parser.parse(TEXT, level="page")
    with pytest.raises(ModelError, match="name a model for documents"):
        load(parser.model.folder).parse(TEXT, level="document")
    with pytest.raises(ModelError, match="expected one that joins sentences"):
        load(parser.model.folder, document_model=parser.model.folder).parse(TEXT, level="document")
    with pytest.raises(ModelError, match="has no exported graphs"):
        load(parser.model.folder, document_model=trained[0]).parse(TEXT, level="document")
    with pytest.raises(ModelError, match="joins sentences into documents"):
        load(exported)


def test_files_that_do_not_fit_are_found_when_a_model_is_loaded(exported, tmp_path):
    import shutil

    from safetensors.numpy import load_file, save_file

    folder = tmp_path / "bad"

    def changed(change):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(exported, folder)
        arrays = load_file(folder / SCORES)
        change(arrays)
        save_file(arrays, folder / SCORES)
        config = json.loads((folder / "config.json").read_text())
        config["runtime"]["files"][SCORES] = (folder / SCORES).stat().st_size
        (folder / "config.json").write_text(json.dumps(config))
        return folder

    with pytest.raises(ModelError, match=r"there are no 'split\.edge'"):
        load_document_model(changed(lambda arrays: arrays.pop("split.edge")))
    with pytest.raises(ModelError, match="label: edge has the shape"):
        load_document_model(changed(lambda arrays: arrays.update({"label.edge": np.zeros((2, 2))})))
    fewer = {"sum_weight": np.zeros((8, 3)), "sum_bias": np.zeros(3), "product_weight": np.zeros((8, 3))}
    with pytest.raises(ModelError, match="do not fit the 4 labels"):
        load_document_model(
            changed(lambda arrays: arrays.update({f"label.{name}": value for name, value in fewer.items()}))
        )
    with pytest.raises(ModelError, match="its scores are not numbers"):
        load_document_model(
            changed(lambda arrays: arrays.update({"label.sum_bias": np.full(4, np.nan, np.float32)}))
        )
    (changed(lambda _arrays: None) / SCORES).write_bytes(b"x" * (folder / SCORES).stat().st_size)
    with pytest.raises(ModelError, match="cannot be read"):
        load_document_model(folder)
    (changed(lambda _arrays: None) / "tokenizer.json").write_bytes(
        b"{" * (folder / "tokenizer.json").stat().st_size
    )
    with pytest.raises(ModelError, match="tokenizer.json"):
        load_document_model(folder)


def test_the_command_joins_sentences_with_any_number_of_workers(parser, exported, tmp_path, capsys):
    (tmp_path / "cat.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "sat.txt").write_text("We sat. It rained.", encoding="utf-8")
    common = [
        "parse",
        str(tmp_path / "cat.txt"),
        str(tmp_path / "sat.txt"),
        "--model",
        str(parser.model.folder),
    ]
    level = ["--level", "document", "--document-model", str(exported)]
    assert main([*common, *level, "-o", str(tmp_path / "one.jsonl")]) == 0
    assert main([*common, *level, "--workers", "2", "-o", str(tmp_path / "two.jsonl")]) == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert main([*common[:2], *common[3:], *level, "--format", "rs3", "-o", str(tmp_path / "cat.rs3")]) == 0
    assert "elaboration" in (tmp_path / "cat.rs3").read_text(encoding="utf-8")
    assert main([*common, "--document-model", str(exported)]) == 2
    assert "--level document or paragraph asks for" in capsys.readouterr().err


def test_the_command_scores_documents_by_place(parser, exported, corpus, capsys):
    common = ["evaluate", str(parser.model.folder), str(corpus)]
    level = ["--level", "document", "--document-model", str(exported)]
    assert main([*common, *level]) == 0
    output = capsys.readouterr().out
    assert "gold tree of documents" in output
    assert "across paragraphs" in output
    assert main([*common, *level, "--edus", "gold", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)["gold"]
    counts = {place: scores["span"]["gold"] for place, scores in record["places"].items()}
    assert counts == {"in sentences": 3, "in paragraphs": 3, "across paragraphs": 2, "above sentences": 5}
    assert main([*common, "--document-model", str(exported)]) == 2
    assert main([*common, *level, "--segmenter", str(parser.model.folder)]) == 2
    capsys.readouterr()


def test_sentences_alone_cannot_be_scored_as_documents(parser, exported, tmp_path, capsys):
    folder = training_runs.write_corpus(tmp_path / "sentences")
    level = ["--level", "document", "--document-model", str(exported)]
    assert main(["evaluate", str(parser.model.folder), str(folder), *level]) == 2
    assert "no document of the split has a tree of its own" in capsys.readouterr().err
