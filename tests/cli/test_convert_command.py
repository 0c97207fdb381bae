import io
import sys
from dataclasses import replace

import pytest

from rhetree.cli.main import main
from rhetree.domain.document import Document
from rhetree.domain.tree import Split, Tree
from rhetree.formats import FORMATS, read, read_one, write
from support.small_corpora import DIS, gum_layout
from support.written_documents import weather


def convert(capsys, *arguments):
    """Exit code, standard output and standard error."""
    code = main(["convert", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def folder(tmp_path):
    for name in "abc":
        write(weather(name), tmp_path / "in" / f"{name}.json")
    return tmp_path / "in"


def test_a_folder_goes_into_one_file_and_losses_are_counted_once_per_kind(folder, tmp_path, capsys):
    code, out, err = convert(capsys, folder, tmp_path / "all.conllu")
    assert (code, out) == (0, "")
    assert err.splitlines() == [
        "rhetree: not kept in 3 documents: trees of single sentences",
        f"rhetree: converted 3 documents into {tmp_path / 'all.conllu'}",
    ]
    assert [document.metadata["genre"] for document in read(tmp_path / "all.conllu")] == ["forecast"] * 3


def test_all_that_was_not_kept_is_one_line(folder, tmp_path, capsys):
    write(Document.from_edus(["He left ,", "sighing ."], "plain"), folder / "d.json")
    *_, err = convert(capsys, folder, tmp_path / "out", "--to", "tok")
    assert err.splitlines() == [
        "rhetree: not kept in 3 documents: sentences, trees of single sentences",
        f"rhetree: converted 4 documents in 4 files into {tmp_path / 'out'}",
    ]
    write(Document.from_sentences([["Yes", "."]], "short"), tmp_path / "e.json")
    *_, err = convert(capsys, folder, tmp_path / "e.json", tmp_path / "more", "--to", "tok")
    assert "not kept in 4 documents: sentences; in 3 documents: trees of single sentences\n" in err


def test_a_bad_file_is_reported_and_the_exit_code_is_1(folder, tmp_path, capsys):
    (folder / "b.json").write_text('{"id": "b", "txt": ""}')
    code, _, err = convert(capsys, folder, tmp_path / "out", "--to", "jsonl")
    assert code == 1
    assert err.splitlines() == [
        f"rhetree: {folder / 'b.json'}: document: unknown key 'txt'; did you mean 'text'?",
        f"rhetree: converted 2 documents in 2 files into {tmp_path / 'out'}; "
        "1 of 3 files could not be, or not wholly",
    ]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.jsonl", "c.jsonl"]


def test_a_document_that_cannot_be_written_is_reported_with_its_file(folder, tmp_path, capsys):
    code, _, err = convert(capsys, folder, tmp_path / "out", "--to", "dis")
    assert code == 2
    assert (
        f"rhetree: {folder / 'a.json'}: a cannot be written as dis: it lacks the document's tree; rs3 and brackets hold its trees of sentences\n"
        in err
    )


def test_files_with_the_same_mistake_are_counted_after_the_first(tmp_path, capsys):
    for number in range(8):
        write(weather(f"w{number}"), tmp_path / "in" / f"{number}.json")
    code, _, err = convert(capsys, tmp_path / "in", tmp_path / "out", "--to", "dis")
    assert code == 2
    assert err.count("cannot be written as dis") == 5
    assert (
        "rhetree: and 3 more files: it lacks the document's tree; rs3 and brackets hold its trees of sentences\n"
        in err
    )
    assert err.endswith("rhetree: nothing was converted: 8 of 8 files could not be\n")


def test_outputs_that_exist_are_told_of_with_the_option_that_replaces_them(folder, tmp_path, capsys):
    assert convert(capsys, folder, tmp_path / "out", "--to", "jsonl")[0] == 0
    code, _, err = convert(capsys, folder, tmp_path / "out", "--to", "jsonl")
    assert code == 2
    first, *_, last = err.splitlines()
    free = "exists already; name another, or allow to replace it with --overwrite"
    assert first == f"rhetree: {tmp_path / 'out' / 'a.jsonl'}: {free}"
    assert last == "rhetree: nothing was converted: 3 of 3 files could not be"
    assert convert(capsys, folder, tmp_path / "out", "--to", "jsonl", "--overwrite")[0] == 0


def test_the_users_mistakes_exit_with_2(folder, tmp_path, capsys):
    (dis := tmp_path / "plain.dis").write_text(DIS)
    for arguments, message in (
        ([folder / "a.json", tmp_path / "a.xyz"], ".jsonl, .rels; name its format with --to\n"),
        (
            [folder / "a.json", tmp_path / "out"],
            "out: a folder; name the format of the files in it with --to\n",
        ),
        (
            [dis, tmp_path / "x.json", "--by-sentence"],
            "take them from files that have them with --sentences\n",
        ),
        ([folder / "a.json", "-"], "jsonl, rels); name it with --to\n"),
        (["-", tmp_path / "a.json"], "jsonl); name it with --from\n"),
        (["-", "-", tmp_path / "a.jsonl", "--from", "json"], "standard input can be read only once"),
        ([tmp_path / "nowhere", tmp_path / "out", "--to", "rs3"], "nowhere: no such file or folder\n"),
        ([folder / "none.json", tmp_path / "a.dis"], "no such file or folder"),
        ([folder / "a.json", folder / "b.json"], "exists already"),
        ([folder / "a.json", tmp_path / "x.tok", "--strict"], "it would lose sentences, trees of single"),
        (
            [folder / "a.json", tmp_path / "x.json", "--relations", "mine"],
            "--relations mine: expected one of gum, rst-dt, none, or a file with an inventory",
        ),
    ):
        code, out, err = convert(capsys, *arguments)
        assert (code, out) == (2, "")
        assert message in err
        assert "Traceback" not in err


def test_relations_from_a_file(folder, tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("All: condition, joint, elaboration\n")
    code, *_ = convert(capsys, folder / "a.json", tmp_path / "x.json", "--relations", tmp_path / "mine.txt")
    assert code == 0
    first, _ = read_one(tmp_path / "x.json").sentence_trees
    assert {split.relation for split in first.splits} == {"All"}


def test_relations_can_be_left_as_they_are_by_name(folder, tmp_path, capsys):
    assert convert(capsys, folder / "a.json", tmp_path / "x.json", "--relations", "none")[0] == 0
    assert read_one(tmp_path / "x.json") == weather("a")


def test_help_names_the_formats_that_there_are(capsys):
    with pytest.raises(SystemExit):
        main(["convert", "--help"])
    assert " ".join(capsys.readouterr().out.split()).count(", ".join(FORMATS)) == 2


def test_sentences_of_conllu_files_join_the_trees_of_others(tmp_path, capsys):
    gum_layout(tmp_path)
    arguments = [tmp_path / "trees", tmp_path / "out", "--sentences", tmp_path / "conllu"]
    code, _, err = convert(capsys, *arguments, "--to", "json")
    assert (code, err) == (0, f"rhetree: converted 3 documents in 3 files into {tmp_path / 'out'}\n")
    document = read_one(tmp_path / "out" / "a.json")
    assert (len(document.sentences), len(document.edus), document.tree.n_edus) == (2, 3, 3)
    assert convert(capsys, *arguments, "--to", "conllu")[0] == 0
    assert len(read_one(tmp_path / "out" / "a.conllu").sentences) == 2


class Stdin(io.TextIOWrapper):
    """Standard input of these bytes."""

    def __init__(self, data):
        super().__init__(io.BytesIO(data), encoding="latin-1")


def test_standard_input_to_standard_output(folder, tmp_path, capsysbinary, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Stdin((folder / "a.json").read_bytes()))
    assert main(["convert", "-", "-", "--from", "json", "--to", "jsonl"]) == 0
    (tmp_path / "out.jsonl").write_bytes(capsysbinary.readouterr().out)
    assert read_one(tmp_path / "out.jsonl") == weather("a")


def test_standard_output_gets_everything_or_nothing(tmp_path, capsys):
    tree = Tree((Split(0, 1, 2, "NS", "elaboration"),))
    both = [replace(Document.from_edus(["He left ,", "sighing ."], name), tree=tree) for name in "ab"]
    write(both, tmp_path / "two.jsonl")
    code, out, err = convert(capsys, tmp_path / "two.jsonl", "-", "--to", "dis")
    assert (code, out) == (2, "")
    assert "a file holds one document, and this is the second; name a folder instead" in err


def test_by_sentence_and_shape_are_passed_on(folder, tmp_path, capsys):
    assert convert(capsys, folder / "a.json", tmp_path / "x.json", "--by-sentence", "--nary")[0] == 0
    assert read_one(tmp_path / "x.json") == weather("a")
    with pytest.raises(SystemExit):
        main(["convert", "a", "b", "--nary", "--binary"])


def test_lenient_says_what_it_forgave(tmp_path, capsys, caplog):
    write(weather("a"), tmp_path / "a.conllu")
    text = (tmp_path / "a.conllu").read_text().replace("# text = If", "# text = Though")
    (tmp_path / "a.conllu").write_text(text)
    assert convert(capsys, tmp_path / "a.conllu", tmp_path / "b.conllu")[0] == 2
    assert convert(capsys, tmp_path / "a.conllu", tmp_path / "b.conllu", "--lenient")[0] == 0
    assert "# text is not what the tokens say: found 'Though" in caplog.text


def test_several_files_have_a_bar_on_a_terminal(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True, raising=False)
    code, out, err = convert(capsys, folder, tmp_path / "all.jsonl")
    assert (code, out) == (0, "")
    assert "Converting" in err
