"""Nothing but RhetreeError comes out of reading, whatever is in the file."""

import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rhetree.errors import RhetreeError, TreebankError
from rhetree.formats import FORMATS, read, write
from rhetree.formats.format import Layer
from support.hostile_files import STRUCTURE, valid_files

every_format = pytest.mark.parametrize("format", FORMATS.values(), ids=list(FORMATS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(autouse=True)
def _quiet():
    """Leniency warns of each mistake it forgives, and here are many."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def check(data, format, folder):
    """Reads bytes as a file of this format; documents that come of it are sound enough for JSON."""
    path = folder / f"fuzzed{format.suffixes[0]}"
    path.write_bytes(data)
    for lenient in (False, True):
        for document in _read_until_refused(path, lenient):
            write(document, folder / "again.json")
            assert list(read(folder / "again.json")) == [document]


def _read_until_refused(path, lenient):
    try:
        yield from read(path, lenient=lenient)
    except RhetreeError:
        return


@st.composite
def mutated(draw, data):
    """The bytes after a few changes, each as a slip of the hand or of a disk would make it."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from([0, 1, 2, 5, 20, 200])))
        kind = draw(st.sampled_from(["delete", "replace", "insert", "repeat", "cut", "line", "swap"]))
        if kind == "delete":
            data = data[:start] + data[end:]
        elif kind == "replace":
            data = data[:start] + draw(st.sampled_from(STRUCTURE)) + data[end:]
        elif kind == "insert":
            data = data[:start] + draw(st.sampled_from(STRUCTURE)) + data[start:]
        elif kind == "repeat":
            data = data[:end] + data[start:end] * draw(st.integers(1, 3)) + data[end:]
        elif kind == "cut":
            data = data[:start]
        else:
            lines = data.split(b"\n")
            number, other = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
            if kind == "line":
                del lines[number]
            else:
                lines[number], lines[other] = lines[other], lines[number]
            data = b"\n".join(lines)
    return data


@every_format
@settings(suppress_health_check=[HealthCheck.data_too_large, HealthCheck.too_slow])
@given(data=st.data())
def test_a_file_that_was_damaged_is_read_or_refused(format, folder, data):
    valid = data.draw(st.sampled_from(list(valid_files(format, folder))))
    check(data.draw(mutated(valid)), format, folder)


@every_format
@given(data=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda text: text.encode("utf-8"))))
def test_a_file_of_something_else_is_read_or_refused(format, folder, data):
    check(data, format, folder)


@every_format
def test_a_valid_file_is_taken(format, folder):
    for number, data in enumerate(valid_files(format, folder)):
        path = folder / f"{number}{format.suffixes[0]}"
        path.write_bytes(data)
        assert list(read(path))


@every_format
def test_a_file_of_another_format_is_read_or_refused(format, folder):
    for other in FORMATS.values():
        for data in valid_files(other, folder):
            check(data, format, folder)


@every_format
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1", "cp037", "utf-8-sig"])
def test_another_encoding_is_refused_with_the_line_of_the_bad_byte(format, encoding, folder):
    path = folder / f"encoded{format.suffixes[0]}"
    for data in valid_files(format, folder):
        path.write_bytes(data.decode("utf-8").replace("storm", "stürm").encode(encoding, errors="replace"))
        if encoding == "utf-8-sig" or (encoding == "latin-1" and Layer.TEXT not in format.holds):
            assert list(read(path))
        else:
            with pytest.raises(RhetreeError, match=r"encoded.*:\d+: not UTF-8 text; convert it first"):
                list(read(path))


@every_format
@pytest.mark.parametrize(
    "data", [b"", b"\n", b" \t\r\n \n", b"\xef\xbb\xbf", b"\0" * 100, b"\x1f\x8b\x08\x00"]
)
def test_an_empty_or_binary_file_is_refused(format, data, folder):
    path = folder / f"nothing{format.suffixes[0]}"
    path.write_bytes(data)
    with pytest.raises(RhetreeError, match=r"nothing\."):
        list(read(path))


ENDLESS = {
    "brackets": b"(",
    "closing brackets": b")",
    "trees": b"( Root (span 1 2) ",
    "nuclei": b"( Nucleus (leaf 1) (rel2par span) (text _!a_!) ) ",
    "text that does not end": b"( Root (leaf 1) (text _!" + b"_! ",
    "lists": b"[",
    "lists in objects": b'{"tokens":[',
    "objects": b'{"a":',
    "keys": b'"a":1,',
    "elements": b"<a>",
    "groups": b"<rst><body><group>",
    "entities": b"&amp;",
    "slashes": b"\\",
    "quotes": b'"',
    "digits": b"9",
    "letters": b"a",
    "spaces": b" ",
    "words": b"a ",
    "lines": b"\n",
    "words on lines": b"a\n",
    "tabs": b"\t",
    "columns": b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n",
    "empty nodes": b"0.1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n",
    "fields": b"a|",
    "comments": b"# text = a\n",
    "pairs": b"(1:Nucleus=span:1,2:Satellite=x:2)",
    "pairs on lines": b"(1:Nucleus=span:1,2:Satellite=x:2)\n",
    "bytes": bytes(range(256)),
}


@pytest.fixture
def size(request):
    """How much of it: a megabyte takes seconds, and less finds the same mistakes but for slowness."""
    return 1_000_000 if request.config.getoption("--slow") else 100_000


@every_format
@pytest.mark.parametrize("piece", ENDLESS.values(), ids=list(ENDLESS))
def test_much_of_the_same_is_read_or_refused(format, piece, folder, size):
    path = folder / f"endless{format.suffixes[0]}"
    path.write_bytes(piece * (size // len(piece)))
    for lenient in (False, True):
        for _ in _read_until_refused(path, lenient):
            pass


def test_a_message_stays_short_whatever_was_found(tmp_path):
    path = tmp_path / "a.dis"
    path.write_text(f"( Root (leaf 1) (rel2par {'x' * 100_000}) (text _!a_!) )")
    with pytest.raises(TreebankError, match="xxx…$") as caught:
        list(read(path))
    assert len(str(caught.value)) < 1000
