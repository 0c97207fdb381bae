"""Document networks that learn from others, or start from one."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch

from rhetree.domain.tree import Tree
from rhetree.errors import ModelError, SettingError, TrainingError
from rhetree.formats import read, write
from rhetree.learning.documents.distillation import DocumentDistillationConfig, MeanRead, teach
from rhetree.learning.documents.experiment import check_labels
from rhetree.learning.documents.loading import load_network
from rhetree.learning.documents.network import (
    DocumentLossConfig,
    DocumentNetwork,
    DocumentNetworkConfig,
    TorchDocumentNetwork,
)
from rhetree.learning.documents.targets import Lesson, document_examples, labels_of
from rhetree.learning.embeddings.config import EmbeddingConfig
from rhetree.learning.embeddings.transformer import TransformerEmbedder
from rhetree.learning.export import export_model
from rhetree.learning.training.experiment import run
from rhetree.learning.training.recipe import read_recipe
from rhetree.learning.training.start import open_start
from rhetree.runtime.model import read_config
from support import training_runs
from support.document_trees import SMALL_NETWORK, in_one_tree, plain, write_trees
from support.tiny_encoders import save_encoder

SMALL = (
    *SMALL_NETWORK,
    "train.epochs=1",
)
STILL = ("optimizer.learning_rate=1e-12", "optimizer.pretrained_rate=1e-12")
(EXAMPLE,) = document_examples([in_one_tree(plain())])
LABELS = labels_of([EXAMPLE])
PLACES = np.array([(start, middle, 9) for start in range(9) for middle in range(start + 1, 9)])


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return save_encoder(tmp_path_factory.mktemp("encoder") / "tiny")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_trees(tmp_path_factory.mktemp("corpus") / "trees")


@pytest.fixture(scope="module")
def trained(corpus, encoder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained") / "run"
    list(run(recipe(corpus, f"network.embedding.path={encoder}"), folder))
    return folder / "model"


@pytest.fixture(scope="module")
def exported(trained, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported") / "model"
    export_model(trained, folder, precision="fp32")
    return folder


def recipe(corpus, *assignments):
    return read_recipe(None, (*SMALL, f"data.corpus={corpus}", *assignments))


def network_of(encoder, seed=1, **loss):
    torch.manual_seed(seed)
    embedding = EmbeddingConfig(
        kind="transformer", path=str(encoder), tuning="tuned", from_layer=1, window=24
    )
    config = DocumentNetworkConfig(
        embedding=embedding, overlap=6, layers=1, width=8, dropout=0.0, loss=DocumentLossConfig(**loss)
    )
    return DocumentNetwork(config, TransformerEmbedder.create(embedding), LABELS).eval()


def read_by(network):
    return TorchDocumentNetwork(network).read(EXAMPLE.tokens, EXAMPLE.units)


def log_softmax(scores):
    return torch.from_numpy(scores).log_softmax(-1).numpy()


# --- what is learnt -------------------------------------------------------------------------


def test_the_mean_of_teachers_is_geometric(encoder):
    reads = [read_by(network_of(encoder, seed)) for seed in (1, 2)]
    mean = MeanRead(reads)
    splits = [np.exp(log_softmax(read.split_scores(PLACES[:8]))) for read in reads]
    labels = [np.exp(read.label_log_probs(PLACES)) for read in reads]
    for found, (one, other) in (
        (np.exp(log_softmax(mean.split_scores(PLACES[:8]))), splits),
        (np.exp(mean.label_log_probs(PLACES)), labels),
    ):
        product = np.sqrt(one * other)
        np.testing.assert_allclose(found, product / product.sum(-1, keepdims=True), atol=1e-5)


def test_a_network_that_is_its_own_teacher_has_nothing_to_learn(encoder):
    """Its own distributions as targets make its loss their entropy, and its gradient nothing."""
    network = network_of(encoder, explored=0.0)
    read = read_by(network)
    losses = network.losses(replace(EXAMPLE, lesson=Lesson(MeanRead([read, read]), 1.0)))
    structure, label = [], []
    for start, end in EXAMPLE.gold_spans():
        if EXAMPLE.units.is_above(start, end):
            places = EXAMPLE.candidates.of(start, end)
            splits = np.array([(start, middle, end) for middle in places])
            own = log_softmax(read.split_scores(splits))
            structure.append(-(np.exp(own) * own).sum())
            own = read.label_log_probs(splits[EXAMPLE.best(places)][None])
            label.append(-(np.exp(own) * own).sum())
    assert losses["above_structure"].item() == pytest.approx(np.mean(structure), rel=1e-4)
    assert losses["above_label"].item() == pytest.approx(np.mean(label), rel=1e-4)
    sum(losses.values()).backward()
    assert max(weight.grad.abs().max() for weight in network.parameters() if weight.grad is not None) < 1e-5


def test_teachers_and_gold_answers_have_their_shares(encoder):
    network, read = network_of(encoder), read_by(network_of(encoder, seed=2))
    gold = network.losses(EXAMPLE)
    none, some, full = (
        network.losses(replace(EXAMPLE, lesson=Lesson(read, share))) for share in (0.0, 0.3, 1.0)
    )
    for name, loss in gold.items():
        assert none[name].item() == loss.item()
        if name != "inside_structure":  # there is one candidate in each sentence, so nothing to be said
            assert full[name].item() != pytest.approx(loss.item(), rel=1e-3)
        mixed = 0.7 * loss.item() + 0.3 * full[name].item()
        assert some[name].item() == pytest.approx(mixed, rel=1e-4)


def test_teachers_answer_for_spans_that_only_mistakes_lead_to(encoder):
    network = network_of(encoder, inside=0.0)
    asked: list[tuple[int, int]] = []

    class Listening(MeanRead):
        def split_scores(self, places):
            asked.extend((start, end) for start, _, end in places.tolist())
            return super().split_scores(places)

    network.losses(replace(EXAMPLE, lesson=Lesson(Listening([read_by(network)]), 0.5)))
    assert set(asked) - set(EXAMPLE.gold_spans())


def test_what_a_teacher_computes_for_an_answer_is_not_kept(exported):
    config = DocumentDistillationConfig(teachers=(str(exported),))
    (taught,) = teach(config, [EXAMPLE], LABELS, threads=1)
    taught.lesson.read.split_scores(PLACES)
    taught.lesson.read.label_log_probs(PLACES)
    assert [read._prepared for read in taught.lesson.read._reads] == [None]


def test_exported_and_trained_teachers_say_the_same(trained, exported):
    found = [
        teach(DocumentDistillationConfig(teachers=(str(folder),)), [EXAMPLE], LABELS, threads=1)[0].lesson
        for folder in (trained, exported)
    ]
    assert [lesson.share for lesson in found] == [0.5, 0.5]
    splits = [lesson.read.split_scores(PLACES) for lesson in found]
    labels = [lesson.read.label_log_probs(PLACES) for lesson in found]
    np.testing.assert_allclose(splits[0], splits[1], atol=1e-4)
    np.testing.assert_allclose(labels[0], labels[1], atol=1e-4)


def test_of_texts_the_teachers_scores_alone_are_learnt(exported, tmp_path):
    path = tmp_path / "texts.jsonl"
    single = plain((("Alone .",),), name="short")
    write([in_one_tree(plain(name="more")), single], path)
    config = DocumentDistillationConfig(teachers=(str(exported),), texts=(str(path),), share=0.3)
    taught = teach(config, [EXAMPLE], LABELS, threads=1)
    assert [(example.name, example.lesson.share) for example in taught] == [("cats", 0.3), ("more", 1.0)]
    assert taught[1].units is not EXAMPLE.units


def test_texts_that_cannot_be_learnt_from_are_refused(exported, tmp_path):
    def taught_by(document):
        write([document], tmp_path / "texts.jsonl")
        texts = (str(tmp_path / "texts.jsonl"),)
        config = DocumentDistillationConfig(teachers=(str(exported),), texts=texts)
        teach(config, [EXAMPLE], LABELS, threads=1)

    with pytest.raises(TrainingError, match="texts.jsonl: 'cats' has no tree over whole sentences; texts to"):
        taught_by(plain())
    document = in_one_tree(plain())
    first, *others = document.tree.splits
    odd = replace(document, tree=Tree((replace(first, relation="zeal"), *others)))
    with pytest.raises(TrainingError, match="'cats' has labels that the new model lacks: zeal-"):
        taught_by(odd)
    with pytest.raises(ValueError, match="texts need teachers"):
        DocumentDistillationConfig(texts=("texts.jsonl",))


# --- runs -----------------------------------------------------------------------------------


def test_a_run_learns_from_teachers_and_ends_the_same_after_a_pause(
    corpus, encoder, trained, exported, tmp_path
):
    taught = recipe(
        corpus, f"network.embedding.path={encoder}", f"distillation.teachers=['{trained}', '{exported}']"
    )
    list(run(taught, tmp_path / "whole"))
    paused = run(taught, tmp_path / "paused")
    for event in paused:
        if getattr(event, "step", 0) == 2:
            break
    paused.close()
    list(run(taught, tmp_path / "paused", resume=True))
    alone = recipe(corpus, f"network.embedding.path={encoder}", "distillation.share=0.0")
    list(run(alone, tmp_path / "alone"))
    untaught = replace(taught, distillation=replace(taught.distillation, share=0.0))
    list(run(untaught, tmp_path / "untaught"))
    whole, after_pause, gold, no_share = (
        (tmp_path / name / "model" / "weights.safetensors").read_bytes()
        for name in ("whole", "paused", "alone", "untaught")
    )
    assert whole == after_pause
    assert gold == no_share
    assert whole != gold


def test_a_changed_teacher_is_noticed_when_a_run_goes_on(corpus, encoder, exported, tmp_path):
    teacher = tmp_path / "teacher"
    shutil.copytree(exported, teacher)
    taught = recipe(corpus, f"network.embedding.path={encoder}", f"distillation.teachers=['{teacher}']")
    list(run(taught, tmp_path / "run"))
    (teacher / "MODEL_CARD.md").write_text("Another one.\n", encoding="utf-8")
    with pytest.raises(ModelError, match="has changed"):
        list(run(taught, tmp_path / "run", resume=True))


def test_a_run_begins_with_the_weights_of_its_start(corpus, trained, exported, tmp_path):
    """Neither the encoder nor the settings of the network are needed beside the model."""
    started = read_recipe(
        None,
        [
            f"data.corpus={corpus}",
            f"train.start={trained}",
            "train.epochs=1",
            "network.embedding.path=gone",
            f"distillation.teachers=['{exported}']",
            *STILL,
        ],
    )
    list(run(started, tmp_path / "run"))
    (network, own, about), (before, _, old) = load_network(tmp_path / "run" / "model"), load_network(trained)
    assert own.network.width == before.config.width
    for name, weight in network.state_dict().items():
        torch.testing.assert_close(weight, before.state_dict()[name], rtol=0, atol=1e-6)
    assert set(old["data"]["texts"]) <= set(about["data"]["texts"])
    export_model(tmp_path / "run" / "model", tmp_path / "exported", precision="fp32")
    settings = read_config(tmp_path / "exported")["recipe"]
    assert settings["train"]["start"] == trained.name
    assert settings["distillation"]["teachers"] == [exported.name]


def test_a_start_keeps_its_labels_unless_the_corpus_has_others(corpus, trained):
    start = replace(open_start(str(trained)), config={"labels": (*LABELS, "zeal-NN")})
    started = recipe(corpus, f"train.start={trained}")
    assert check_labels(started, [EXAMPLE], [EXAMPLE], start) == (*LABELS, "zeal-NN")
    start = replace(start, config={"labels": (*LABELS[:-1], "zeal-NN")})
    assert check_labels(started, [EXAMPLE], [EXAMPLE], start) == LABELS


def test_labels_that_are_known_go_on_and_others_start_from_nothing(trained, tmp_path):
    """A corpus with another name for one of the model's labels."""
    other = write_trees(tmp_path / "trees")
    for path in other.glob("*.json"):
        (document,) = read(path)
        splits = [
            replace(split, relation="zeal") if split.relation == "list" else split
            for split in document.tree.splits
        ]
        write(replace(document, tree=Tree.from_splits(splits)), path)
    start = (
        f"train.start={trained}",
        "train.epochs=1",
        "train.seed=2",
    )  # the first weights of the start are those of seed 1
    settings = read_recipe(None, [f"data.corpus={other}", *start, *STILL])
    data, *_ = run(settings, tmp_path / "run")
    assert "1 label is new to" in data.notes[-2]
    assert data.notes[-1].endswith("that train lacks are dropped: list-NN")
    (network, _, _), (before, _, _) = load_network(tmp_path / "run" / "model"), load_network(trained)
    assert network.labels == (*LABELS[:-1], "zeal-NN")
    for scores in ("from_sum", "from_product"):
        new, old = (getattr(one.labeller, scores).weight for one in (network, before))
        torch.testing.assert_close(new[:-1], old[:-1], rtol=0, atol=1e-6)
        assert (new[-1] - old[-1]).abs().max() > 0.01


@pytest.fixture(scope="module")
def of_sentences(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sentences") / "run"
    training_runs.train(corpus, folder, "train.epochs=1")
    return folder / "model"


def test_models_that_nothing_can_start_from_are_refused(corpus, trained, of_sentences, tmp_path):
    def start(folder, *assignments):
        list(run(recipe(corpus, f"train.start={folder}", *assignments), tmp_path / "run"))

    bare = tmp_path / "bare"
    shutil.copytree(trained, bare)
    (bare / "weights.safetensors").unlink()
    with pytest.raises(ModelError, match="neither weights.safetensors nor exported graphs"):
        start(bare)
    with pytest.raises(SettingError, match=r"network\.width is 9, but .*, to start from, has 8"):
        start(trained, "network.width=9")
    plain_recipe = recipe(corpus, "network.embedding.path=gone")
    of_other = replace(plain_recipe, train=replace(plain_recipe.train, start=str(of_sentences)))
    with pytest.raises(ModelError, match="expected one that joins sentences"):
        list(run(of_other, tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_teachers_that_cannot_teach_are_refused(trained, exported, of_sentences):
    def taught_by(folder, labels=LABELS):
        teach(DocumentDistillationConfig(teachers=(str(folder),)), [EXAMPLE], labels, threads=1)

    for folder in (trained, exported):
        with pytest.raises(TrainingError, match="only one side has: cause-NS, .*other-NN"):
            taught_by(folder, ("other-NN",))
    with pytest.raises(TrainingError, match="none, but their order differs"):
        taught_by(exported, LABELS[::-1])
    with pytest.raises(ModelError, match="expected one that joins sentences"):
        taught_by(of_sentences)
    with pytest.raises(ModelError, match="no model is called 'nowhere'"):
        taught_by("nowhere")
