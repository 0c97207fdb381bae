import pickle

import pytest

from rhetree import errors

EXAMPLES = [
    (errors.TreebankError("a leaf is missing", "a.dis", 41), "a.dis:41: a leaf is missing"),
    (errors.EmbeddingError("no vectors in it", "glove.txt"), "glove.txt: no vectors in it"),
    (
        errors.ArgumentError("exists; let it be replaced", "a.dis", "overwrite"),
        "a.dis: exists; let it be replaced",
    ),
    (errors.ConstraintError("span 0..3 holds no token", "a"), "a: span 0..3 holds no token"),
    (errors.ConstraintError("boundary 9 is outside", ""), "the text: boundary 9 is outside"),
    (errors.UnwritableError("it lacks EDUs", "a", "dis"), "a cannot be written as dis: it lacks EDUs"),
    (
        errors.MissingExtraError("drawing PNG", "png"),
        "drawing PNG needs more packages; install them with: pip install 'rhetree[png]'",
    ),
]


@pytest.mark.parametrize(("error", "message"), EXAMPLES)
def test_errors_say_what_and_cross_processes(error, message):
    assert str(error) == message
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == message


def test_the_hierarchy_on_top_of_the_file_is_the_real_one():
    lines = [line for line in errors.__doc__.splitlines() if line.startswith("    ")]
    drawn = [line.lstrip("│├└─ ").split()[0] for line in lines]
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert set(drawn) == {kind.__name__ for kind in kinds if issubclass(kind, Exception)}
