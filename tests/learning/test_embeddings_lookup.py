import numpy as np
import pytest
import torch

from rhetree.errors import EmbeddingError, ModelError
from rhetree.learning.embeddings import EmbeddingConfig, load_embedder, make_embedder
from rhetree.learning.embeddings.random import RandomEmbedder

SENTENCES = [["The", "cat", "sat", "."], ["the", "Cat", "ran"]]
GLOVE = "the 1 2\nsat 3 4\n. 5 6\n. . . 7 8\nParis 9 10\nparis 0 1\n"


def rebuilt(embedder, config, folder):
    embedder.save_assets(folder)
    copy = load_embedder(config, folder)
    copy.load_state_dict(embedder.state_dict())
    return copy


def static(tmp_path, text=GLOVE, **settings):
    path = tmp_path / "vectors.txt"
    path.write_text(text, encoding="utf-8")
    config = EmbeddingConfig(kind="static", path=str(path), **settings)
    return make_embedder(config, SENTENCES), config


# --- settings ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "random", "path": "x"}, "path = 'x' means nothing to random"),
        ({"kind": "static", "path": "x", "piece": "first"}, "piece = 'first' means nothing to static"),
        ({"kind": "elmo", "path": "x", "tuning": "tuned"}, "tuning = 'tuned' means nothing to elmo"),
        ({"kind": "transformer"}, "need a path"),
        ({"kind": "static", "path": "x", "tuning": "mix"}, "no layers to mix"),
        ({"kind": "transformer", "path": "x", "from_layer": 2}, "means nothing while tuning is frozen"),
        ({"kind": "transformer", "path": "x", "window": 3}, "at least 8"),
        ({"kind": "transformer", "path": "x", "hidden_pieces": 1.0}, "hidden_pieces is within 0 <= p < 1"),
        ({"kind": "transformer", "path": "x", "encoder_dropout": 1.0}, "0 <= p < 1"),
        ({"kind": "transformer", "path": "x", "attention_dropout": -0.1}, "0 <= p < 1"),
        (
            {"kind": "transformer", "path": "x", "encoder_dropout": 0.3},
            "encoder_dropout = 0.3 means nothing while tuning is frozen",
        ),
        ({"kind": "random", "width": 0}, "width is at least 1"),
        ({"kind": "static", "path": "x", "n_extra": -1}, "n_extra is at least 0"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        EmbeddingConfig(**settings)


# --- random -----------------------------------------------------------------------------------


def test_random_vectors_are_of_words_seen_often_in_any_case():
    embedder = make_embedder(EmbeddingConfig(width=5), SENTENCES)
    assert embedder.vocabulary.words == ("the", "cat")
    vectors = embedder([["THE", "cat"], ["ran", "x", "the"]])
    assert vectors.shape == (2, 3, 5)
    assert torch.equal(vectors[0, 0], vectors[1, 2])
    assert torch.equal(vectors[1, 0], vectors[1, 1])
    assert not torch.equal(vectors[0, 0], vectors[0, 1])
    assert torch.equal(vectors[0, 2], torch.zeros(5))


def test_random_vectors_can_keep_case_and_rare_words():
    embedder = make_embedder(EmbeddingConfig(width=5, lower_case=False, min_count=1), SENTENCES)
    assert embedder.vocabulary.words == ("The", "cat", "sat", ".", "the", "Cat", "ran")


def test_random_vectors_and_the_unknown_one_are_trained():
    embedder = RandomEmbedder.create(EmbeddingConfig(width=5), SENTENCES)
    embedder([["the", "dog"]]).sum().backward()
    gradient = embedder.vectors.weight.grad
    assert gradient is not None
    assert gradient[embedder.vocabulary.row("the")].all()
    assert gradient[embedder.vocabulary.row("dog")].all()
    assert not gradient[embedder.vocabulary.row("cat")].any()


def test_random_embedder_is_the_same_after_saving(tmp_path):
    config = EmbeddingConfig(width=5)
    embedder = make_embedder(config, [["a\nb", "é", "\ud800"] * 2])
    sentence = [["a\nb", "é", "\ud800", "z"]]
    assert torch.equal(rebuilt(embedder, config, tmp_path)(sentence), embedder(sentence))


def test_a_model_without_its_vocabulary_says_so(tmp_path):
    with pytest.raises(ModelError, match=r"vocabulary.json: cannot be read.*is the model complete"):
        load_embedder(EmbeddingConfig(), tmp_path)
    (tmp_path / "vocabulary.json").write_text("[1, 2]")
    with pytest.raises(ModelError, match="expected a list of words"):
        load_embedder(EmbeddingConfig(), tmp_path)


# --- static -----------------------------------------------------------------------------------


@pytest.mark.parametrize("tuning", ["frozen", "tuned"])
def test_static_vectors_are_looked_up_as_written_then_in_lower_case(tmp_path, tuning):
    embedder, _ = static(tmp_path, tuning=tuning)
    vectors = embedder([["The", "the", "Paris", "PARIS", ". . ."], ["sat", "."]])
    assert vectors.tolist() == [
        [[1, 2], [1, 2], [9, 10], [0, 1], [7, 8]],
        [[3, 4], [5, 6], [0, 0], [0, 0], [0, 0]],
    ]


@pytest.mark.parametrize("tuning", ["frozen", "tuned"])
def test_the_unknown_word_is_learnt_and_starts_as_the_mean(tmp_path, tuning):
    embedder, _ = static(tmp_path, tuning=tuning)
    vectors = embedder([["dog", "the"]])
    assert torch.allclose(vectors[0, 0], torch.tensor([25 / 6, 31 / 6]))
    vectors.sum().backward()
    assert embedder.unknown.grad.tolist() == [1, 1]


def test_frozen_vectors_are_no_parameters(tmp_path):
    embedder, _ = static(tmp_path)
    assert [name for name, _ in embedder.named_parameters()] == ["unknown"]


def test_only_vectors_of_training_words_are_trained_further(tmp_path):
    embedder, _ = static(tmp_path, tuning="tuned")
    assert embedder.trained.tolist() == [[1, 2], [3, 4], [5, 6]]
    embedder([["Paris", "the", "paris", "sat", "sat"]]).sum().backward()
    assert embedder.trained.grad.tolist() == [[1, 1], [2, 2], [0, 0]]


def test_words_of_the_file_beyond_the_first_are_kept_only_if_trained_on(tmp_path):
    embedder, _ = static(tmp_path, n_extra=0)
    assert embedder.vocabulary.words == ("the", "sat", ".")
    embedder, _ = static(tmp_path, n_extra=5)
    assert "Paris" in embedder.vocabulary.words
    assert "paris" not in embedder.vocabulary.words


@pytest.mark.parametrize("tuning", ["frozen", "tuned"])
def test_static_embedder_is_the_same_after_saving_without_the_file(tmp_path, tuning):
    embedder, config = static(tmp_path, tuning=tuning)
    (tmp_path / "vectors.txt").unlink()
    sentences = [["The", "Paris", "dog"], ["sat"]]
    assert torch.equal(rebuilt(embedder, config, tmp_path)(sentences), embedder(sentences))


def test_vectors_of_none_of_the_words_are_refused(tmp_path):
    path = tmp_path / "other.txt"
    path.write_text("zzz 1 2\nqqq 3 4\n", encoding="utf-8")
    with pytest.raises(
        EmbeddingError, match="other.txt: none of the 2 words of the training data has a vector"
    ):
        make_embedder(EmbeddingConfig(kind="static", path=str(path)), [["a", "b"]])


def test_a_header_is_recognised(tmp_path):
    embedder, _ = static(tmp_path, "2 3\nthe 1 2 3 \nsat 4 5 6 \n")
    assert embedder([["sat"]]).tolist() == [[[4, 5, 6]]]


def test_of_a_word_that_comes_twice_the_first_counts(tmp_path):
    embedder, _ = static(tmp_path, "the 1 2\nthe 3 4\n")
    assert embedder([["the"]]).tolist() == [[[1, 2]]]


def test_line_ends_of_unicode_are_words(tmp_path):
    embedder, _ = static(tmp_path, "the 1 2\n\u2028 3 4\n\x85 5 6\n")
    assert embedder([["\u2028", "\x85"]]).tolist() == [[[3, 4], [5, 6]]]


@pytest.mark.parametrize("is_folder", [True, False])
def test_an_array_with_a_vocabulary(tmp_path, is_folder):
    np.save(tmp_path / "vectors.npy", np.arange(6.0).reshape(3, 2))
    (tmp_path / "vocab.txt").write_text("the\nsat\n\u2028\n", encoding="utf-8")
    path = tmp_path if is_folder else tmp_path / "vectors.npy"
    embedder = make_embedder(EmbeddingConfig(kind="static", path=str(path)), SENTENCES)
    assert embedder([["sat", "\u2028"]]).tolist() == [[[2, 3], [4, 5]]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("the 1 2\nsat 3\n", r"vectors.txt:2: a vector of 1 numbers, after others of 2"),
        ("the 1 2\nsat 3 4 5\n", r"vectors.txt:2: a vector of 3 numbers, after others of 2"),
        ("the 1 2\nsat 3 4x\n", r"vectors.txt:2: expected a number, found '4x'"),
        ("the 1 2\nsat 3 nan\n", r"vectors.txt:2: has a number that is not finite"),
        ("the 1 2\n\nsat 3 4\n", r"vectors.txt:2: a vector of 0 numbers"),
        ("the\nsat 3 4\n", r"vectors.txt:1: expected a word and its numbers, found 'the"),
        ("3 2\nthe 1 2\nsat 3 4\n", r"vectors.txt:1: its first line promises 3 vectors, it has 2"),
        ("3 4\nthe 1 2\n", r"vectors.txt:2: a vector of 2 numbers, after others of 4"),
        ("3 0\nthe 1 2\n", r"vectors.txt:1: vectors of width 0"),
        ("", "none of its words is needed"),
    ],
)
def test_a_broken_file_of_vectors_is_reported_with_its_line(tmp_path, text, message):
    with pytest.raises(EmbeddingError, match=message):
        static(tmp_path, text)


def test_vectors_that_are_not_text_or_not_there(tmp_path):
    (tmp_path / "model.bin").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(EmbeddingError, match=r"model.bin: not UTF-8.*\.vec"):
        make_embedder(EmbeddingConfig(kind="static", path=str(tmp_path / "model.bin")), SENTENCES)
    with pytest.raises(EmbeddingError, match=r"nowhere.txt: cannot be read"):
        make_embedder(EmbeddingConfig(kind="static", path=str(tmp_path / "nowhere.txt")), SENTENCES)
    (tmp_path / "empty").mkdir()
    with pytest.raises(EmbeddingError, match=r"expected one .npy file beside vocab.txt, found none"):
        make_embedder(EmbeddingConfig(kind="static", path=str(tmp_path / "empty")), SENTENCES)


@pytest.mark.parametrize(
    ("array", "words", "message"),
    [
        (np.zeros((2, 2)), "the\nsat\n.\n", r"vocab.txt: 3 words for the 2 vectors of vectors.npy"),
        (np.zeros(4), "the\n", r"expected a floating-point array of \(words, width\), found float64 \(4,\)"),
        (np.zeros((2, 2), dtype=int), "the\nsat\n", "expected a floating-point array"),
        (np.array([[1, 2], [3, np.inf]]), "the\nsat\n", r"vector 1 .* not finite"),
        (np.array([{}]), "the\n", "not a whole NumPy array"),
        (np.zeros((2, 2)), None, r"vocab.txt: cannot be read"),
    ],
)
def test_a_broken_array_of_vectors_is_reported(tmp_path, array, words, message):
    np.save(tmp_path / "vectors.npy", array)
    if words is not None:
        (tmp_path / "vocab.txt").write_text(words)
    with pytest.raises(EmbeddingError, match=message):
        make_embedder(EmbeddingConfig(kind="static", path=str(tmp_path)), SENTENCES)


def test_a_truncated_array_is_reported(tmp_path):
    np.save(tmp_path / "vectors.npy", np.zeros((100, 10)))
    data = (tmp_path / "vectors.npy").read_bytes()
    (tmp_path / "vectors.npy").write_bytes(data[:500])
    (tmp_path / "vocab.txt").write_text("the\n" * 100)
    with pytest.raises(EmbeddingError, match=r"vectors.npy: not a whole NumPy array"):
        make_embedder(EmbeddingConfig(kind="static", path=str(tmp_path)), SENTENCES)
