from dataclasses import replace
from pathlib import Path

import pytest

from rhetree.domain.annotation import Signal
from rhetree.domain.document import Document
from rhetree.domain.relations import GUM
from rhetree.domain.span import Span, spans_of_lengths
from rhetree.domain.tree import Split, Tree
from rhetree.errors import RhetreeError, TreebankError, UnwritableError
from rhetree.formats import FORMATS, format_of, read, read_one, write
from rhetree.formats.format import Layer
from rhetree.jobs.conversion import Changes, make_plan
from rhetree.jobs.places import file_name

CHAIN = Tree((Split(0, 1, 3, "NN", "joint-list"), Split(1, 2, 3, "NN", "joint-list")))


def document(name="a", tree=CHAIN):
    """Two sentences, the second with two EDUs."""
    plain = Document.from_sentences([["It", "rained", "."], ["We", "read", "and", "slept", "."]], name)
    return replace(plain, edus=spans_of_lengths([3, 2, 3]), tree=tree)


def carried_out(*arguments, **options):
    return list(make_plan(*arguments, **options).carry_out())


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# --- read and write --------------------------------------------------------------------------


def test_the_longest_ending_that_fits_tells_the_format():
    assert format_of("a.jsonl").name == "jsonl"
    assert format_of("b.JSON").name == "json"
    assert format_of("c.out.dis").name == "dis"
    assert format_of("-", "dis").name == format_of("x.json", ".DIS").name == "dis"
    for format in FORMATS.values():
        for suffix in format.suffixes:
            assert format_of(f"file{suffix}") is format


@pytest.mark.parametrize(
    ("path", "name", "message"),
    [
        ("a.xyz", None, r"a\.xyz: its ending is none of \.dis, .*; name its format"),
        ("a", None, "its ending is none of"),
        ("-", None, r"-: no ending tells its format \(dis, .*\); name it$"),
        ("a.dis", "diss", r"no format is called 'diss'; expected one of dis, "),
    ],
)
def test_a_format_that_nothing_tells_is_asked_for(path, name, message):
    with pytest.raises(RhetreeError, match=message):
        format_of(path, name)


def test_read_and_write_a_file(tmp_path):
    path = tmp_path / "new" / "a.jsonl"
    assert write([document("a"), document("b")], path) == []
    assert list(read(path)) == [document("a"), document("b")]
    with pytest.raises(TreebankError, match="expected one document, found 2"):
        read_one(path)
    assert write(document(), tmp_path / "a.dis") == [Layer.SENTENCES]
    assert read_one(str(tmp_path / "a.dis")).tree == CHAIN
    assert write(document(), tmp_path / "a.txt", format="json") == []


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.json"
    with pytest.raises(UnwritableError, match="b cannot be written as json: it is the second"):
        write([document("a"), document("b")], path)
    with pytest.raises(UnwritableError, match=r"'\\ud800' is no character"):
        write(Document(text="\ud800"), path)
    assert names(tmp_path) == []


def test_a_file_without_documents_is_an_error(tmp_path):
    (tmp_path / "a.jsonl").write_text("\n\n")
    with pytest.raises(TreebankError, match=r"a\.jsonl: no document in it"):
        read_one(tmp_path / "a.jsonl")


def test_what_is_not_there_or_is_a_folder_is_said_before_its_ending_is_looked_at(tmp_path):
    for path in (tmp_path / "b.jsonl", tmp_path / "b"):
        with pytest.raises(RhetreeError, match="b.*: no such file or folder"):
            read(path)
        with pytest.raises(RhetreeError, match="b.*: no such file or folder"):
            make_plan([path], tmp_path / "out.json")
    for format in (None, "json"):
        with pytest.raises(RhetreeError, match="a folder; rhetree.read_corpus reads these"):
            read(tmp_path, format)


# --- changes ---------------------------------------------------------------------------------


def test_relations_become_their_classes():
    changed = Changes(relations=GUM).apply(document())
    assert {split.relation for split in changed.tree.splits} == {"joint"}
    coarse = replace(GUM, class_before_hyphen=False)
    with pytest.raises(RhetreeError, match="a: gum has no relation 'joint-list'"):
        Changes(relations=coarse).apply(document())


def test_chains_become_units_and_units_chains():
    nary = Changes(shape="nary").apply(document())
    assert len(nary.nary.units) == 4
    assert nary.tree == CHAIN
    assert Changes(shape="nary").apply(nary) == nary
    assert Changes(shape="binary").apply(nary) == document()
    bare = document(tree=None)
    assert Changes(shape="nary").apply(bare) == bare


def test_one_tree_per_sentence_in_place_of_the_documents():
    changed = Changes(by_sentence=True).apply(document())
    assert changed.tree is None
    assert changed.sentence_trees == (Tree(), Tree((Split(0, 1, 2, "NN", "joint-list"),)))
    with pytest.raises(RhetreeError, match="a: its sentences are not known"):
        Changes(by_sentence=True).apply(replace(document(), sentences=()))


# --- plans -----------------------------------------------------------------------------------


def test_one_file_to_another(tmp_path):
    write(document(), tmp_path / "a.json")
    (outcome,) = carried_out([tmp_path / "a.json"], tmp_path / "b.dis")
    assert outcome.n_documents == 1
    assert outcome.losses == {Layer.SENTENCES: 1}
    assert read_one(tmp_path / "b.dis").tree == CHAIN


def test_the_shape_of_a_tree_that_is_lost_is_no_loss_of_its_own(tmp_path):
    write(Changes(shape="nary").apply(document()), tmp_path / "a.json")
    (lost_whole,) = carried_out([tmp_path / "a.json"], tmp_path / "a.tok")
    assert lost_whole.losses == {Layer.SENTENCES: 1, Layer.TREE: 1}
    (lost_shape,) = carried_out([tmp_path / "a.json"], tmp_path / "a.brackets")
    assert {Layer.NARY} <= lost_shape.losses.keys()


def test_sentences_come_from_another_folder(tmp_path):
    write(document("a"), tmp_path / "trees" / "a.dis")
    write(document("a", tree=None), tmp_path / "gold" / "a.conllu")
    bare = replace(document("b"), sentences=())
    write(bare, tmp_path / "trees" / "b.dis")
    plan = {"to_format": "json", "sentences": tmp_path / "gold"}
    first, second = carried_out([tmp_path / "trees"], tmp_path / "out", **plan)
    assert read_one(tmp_path / "out" / "a.json").sentences == document().sentences
    assert read_one(tmp_path / "out" / "a.json").tree == CHAIN
    assert first.error is None
    assert "gold: no sentences of b, whose tree is" in str(second.error)
    _, second = carried_out([tmp_path / "trees"], tmp_path / "more", **plan, lenient=True)
    assert second.error is None
    assert second.notes[0].startswith("gold sentences left out: ")
    assert read_one(tmp_path / "more" / "b.json").sentences == ()


def test_an_output_that_exists_is_kept_unless_told(tmp_path):
    write(document(), tmp_path / "a.json")
    (tmp_path / "b.dis").write_text("precious")
    with pytest.raises(RhetreeError, match=r"b\.dis: exists already; name another, or allow to replace it"):
        carried_out([tmp_path / "a.json"], tmp_path / "b.dis")
    assert (tmp_path / "b.dis").read_text() == "precious"
    carried_out([tmp_path / "a.json"], tmp_path / "b.dis", overwrite=True)
    assert read_one(tmp_path / "b.dis").tree == CHAIN


def test_a_file_can_be_converted_onto_itself(tmp_path):
    write(document(), tmp_path / "a.json")
    carried_out([tmp_path / "a.json"], tmp_path / "a.json", overwrite=True, changes=Changes(relations=GUM))
    assert read_one(tmp_path / "a.json").tree.splits[0].relation == "joint"


def test_a_folder_goes_into_a_folder_with_its_folders(tmp_path):
    source, target = tmp_path / "in", tmp_path / "out"
    write(document("x"), source / "a.json")
    write(document("y"), source / "deep" / "er" / "b.dis")
    write([document("v"), document("w")], source / "deep" / "c.jsonl")
    write(document("z"), source / ".hidden" / "d.json")
    (source / "README.md").write_text("not a treebank")
    outcomes = carried_out([source], target, to_format="dis")
    assert [outcome.n_documents for outcome in outcomes] == [1, 2, 1]
    assert names(target) == ["a.dis", "deep/c/v.dis", "deep/c/w.dis", "deep/er/b.dis"]
    assert [outcome.source.name for outcome in outcomes] == ["a.json", "c.jsonl", "b.dis"]


def test_a_folder_of_one_format_alone(tmp_path):
    write(document("x"), tmp_path / "a.json")
    write(document("y"), tmp_path / "b.dis")
    carried_out([tmp_path], tmp_path / "out", from_format="dis", to_format="json")
    assert names(tmp_path / "out") == ["b.json"]
    with pytest.raises(RhetreeError, match=r"out: no file in it ends in \.rs3$"):
        make_plan([tmp_path / "out"], tmp_path / "more", from_format="rs3", to_format="json")


def test_several_documents_of_one_file_go_into_a_folder(tmp_path):
    write([document("a/b"), document("..")], tmp_path / "a.jsonl")
    carried_out([tmp_path / "a.jsonl"], tmp_path / "out", to_format="dis")
    assert names(tmp_path / "out") == ["_.dis", "a_b.dis"]
    with pytest.raises(UnwritableError, match="a file holds one document, and this is the second"):
        carried_out([tmp_path / "a.jsonl"], tmp_path / "out.dis")
    assert not (tmp_path / "out.dis").exists()


def test_files_go_into_one_that_holds_many(tmp_path):
    write(document("a"), tmp_path / "a.json")
    write(document("b"), tmp_path / "b.json")
    carried_out([tmp_path / "a.json", tmp_path / "b.json"], tmp_path / "all.conllu")
    assert [one.name for one in read(tmp_path / "all.conllu")] == ["a", "b"]
    with pytest.raises(RhetreeError, match="dis holds one document a file, found 2 files; name a folder"):
        make_plan([tmp_path / "a.json", tmp_path / "b.json"], tmp_path / "all.dis")


def test_a_bad_file_among_others_is_told_of_and_the_others_are_done(tmp_path):
    source = tmp_path / "in"
    write(document("a"), source / "a.json")
    (source / "b.json").write_text("{")
    write([document("c"), document("d", tree=None)], source / "c.jsonl")
    outcomes = carried_out([source], tmp_path / "out", to_format="dis")
    assert [outcome.error is None for outcome in outcomes] == [True, False, False]
    assert "b.json:1: not JSON" in str(outcomes[1].error)
    assert "d cannot be written as dis" in str(outcomes[2].error)
    assert [outcome.n_documents for outcome in outcomes] == [1, 0, 1]
    assert names(tmp_path / "out") == ["a.dis", "c/c.dis"]


def test_what_comes_before_a_mistake_is_written(tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    write(document("a"), source / "a.json")
    write([document("b"), document("c")], source / "b.jsonl")
    (source / "b.jsonl").write_text((source / "b.jsonl").read_text() + "broken\n")
    outcomes = carried_out([source], tmp_path / "out", to_format="tok")
    assert [outcome.n_documents for outcome in outcomes] == [1, 2]
    assert ["b.jsonl:3: not JSON" in str(outcome.error) for outcome in outcomes] == [False, True]
    assert [outcome.losses.keys() for outcome in outcomes] == [{Layer.SENTENCES, Layer.TREE}] * 2
    assert [one.name for one in read(tmp_path / "out" / "b.tok")] == ["b", "c"]
    (outcome,) = carried_out([source / "b.jsonl"], tmp_path / "b.tok")
    assert outcome.n_documents == 2
    assert outcome.error
    assert [one.name for one in read(tmp_path / "b.tok")] == ["b", "c"]


def test_a_document_does_not_wait_for_a_bad_one_after_it(tmp_path):
    write(document("a"), tmp_path / "a.jsonl")
    (tmp_path / "a.jsonl").write_text((tmp_path / "a.jsonl").read_text() + "broken\n")
    (outcome,) = carried_out([tmp_path / "a.jsonl"], tmp_path / "out", to_format="dis")
    assert (outcome.n_documents, names(tmp_path / "out")) == (1, ["a.dis"])
    assert "a.jsonl:2: not JSON" in str(outcome.error)


def test_a_file_without_a_good_document_is_not_begun(tmp_path):
    write(document("a"), tmp_path / "a.json")
    (tmp_path / "b.jsonl").write_text("broken\n")
    outcomes = carried_out([tmp_path / "a.json", tmp_path / "b.jsonl"], tmp_path / "out", to_format="tok")
    assert [outcome.n_documents for outcome in outcomes] == [1, 0]
    assert names(tmp_path / "out") == ["a.tok"]


def test_one_file_for_all_keeps_whole_documents_only(tmp_path):
    source = tmp_path / "in"
    write([document("a"), replace(document("b"), metadata={"x=y": ""})], source / "a.jsonl")
    write(document("c"), source / "c.json")
    outcomes = carried_out([source], tmp_path / "all.conllu")
    assert [outcome.error is None for outcome in outcomes] == [False, True]
    assert [one.name for one in read(tmp_path / "all.conllu")] == ["a", "c"]


def test_nothing_is_written_where_nothing_could_be_read(tmp_path):
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_text("{")
    plan = make_plan([tmp_path / "a.json", tmp_path / "b.json"], tmp_path / "all.jsonl")
    outcomes = plan.carry_out()
    assert next(outcomes).error
    assert next(outcomes).error
    with pytest.raises(RhetreeError, match="all.jsonl: nothing to write"):
        next(outcomes)
    assert names(tmp_path) == ["a.json", "b.json"]


def test_the_error_of_an_only_file_is_raised(tmp_path):
    (tmp_path / "a.json").write_text("{")
    for output, to_format in ((tmp_path / "out", "dis"), (tmp_path / "out.dis", None)):
        with pytest.raises(TreebankError, match=r"a\.json:1: not JSON"):
            carried_out([tmp_path / "a.json"], output, to_format=to_format)
        assert not output.exists()


def test_what_was_written_of_an_only_file_before_its_mistake_is_told(tmp_path):
    write([document("c"), document("d", tree=None)], tmp_path / "c.jsonl")
    (outcome,) = carried_out([tmp_path / "c.jsonl"], tmp_path / "out", to_format="dis")
    assert (outcome.n_documents, outcome.n_files) == (1, 1)
    assert "d cannot be written as dis" in str(outcome.error)


def test_a_folder_that_takes_no_files_is_told_of_once(tmp_path, monkeypatch):
    write(document("a"), tmp_path / "in" / "a.json")
    write(document("b"), tmp_path / "in" / "b.json")
    (tmp_path / "taken").write_text("a file")
    for output, message in (("taken", "taken: a file, not a folder"), ("taken/in", "taken is a file")):
        with pytest.raises(RhetreeError, match=message):
            carried_out([tmp_path / "in"], tmp_path / output, to_format="dis")
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(RhetreeError, match="out: no files can be written into "):
        carried_out([tmp_path / "in"], tmp_path / "out", to_format="dis")


def test_two_files_with_the_same_output_are_not_merged_silently(tmp_path):
    write(document(), tmp_path / "a.json")
    write(document(), tmp_path / "a.dis")
    outcomes = carried_out([tmp_path], tmp_path / "out", to_format="jsonl")
    assert [outcome.error is None for outcome in outcomes] == [True, False]
    assert "written already, from another document of the same name" in str(outcomes[1].error)


def test_strict_accepts_what_comes_back_the_same(tmp_path):
    text = """( Root (span 1 2)
  ( Nucleus (leaf 1) (rel2par span) (text _!It rained .<P>_!) )
  ( Satellite (leaf 2) (rel2par cause) (text _!We read ._!) )
)
"""
    (tmp_path / "a.dis").write_text(text, encoding="utf-8")
    (outcome,) = carried_out([tmp_path / "a.dis"], tmp_path / "b.dis", strict=True)
    assert outcome.losses == {}
    assert (tmp_path / "b.dis").read_text(encoding="utf-8") == text
    with pytest.raises(UnwritableError, match="it would lose spacing"):
        carried_out([tmp_path / "a.dis"], tmp_path / "b.rs3", strict=True)


def test_strict_refuses_what_would_lose_something(tmp_path):
    write(document(), tmp_path / "a.json")
    with pytest.raises(UnwritableError, match="a cannot be written as dis: it would lose sentences"):
        carried_out([tmp_path / "a.json"], tmp_path / "a.dis", strict=True)
    carried_out([tmp_path / "a.json"], tmp_path / "a.jsonl", strict=True)


def test_an_output_without_ending_is_a_folder_and_needs_a_format(tmp_path):
    write(document(), tmp_path / "a.json")
    with pytest.raises(RhetreeError, match="out: a folder; name the format of the files in it"):
        make_plan([tmp_path / "a.json"], tmp_path / "out")
    assert not make_plan([tmp_path / "a.json"], tmp_path / "out.txt", to_format="dis").to_folder
    assert make_plan([tmp_path / "a.json"], tmp_path, to_format="dis").to_folder
    assert not make_plan([tmp_path / "a.json"], Path("-"), to_format="dis").to_folder


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.b", "a.b"),
        ("a/b\\c", "a_b_c"),
        ("", "document"),
        ("../x", "__x"),
        ("é" * 200, "é" * 100),
        ("a" + "é" * 200, "a" + "é" * 99),
    ],
)
def test_a_document_can_lend_its_name_to_a_file(name, expected):
    assert file_name(name) == expected


def test_what_goes_with_a_tree_that_is_taken_apart_is_counted_or_refused(tmp_path):
    signalled = replace(document(), signals=(Signal(Span(0, 1), "dm", "dm", (0,)),))
    write(signalled, tmp_path / "in.json")
    by_sentence = Changes(by_sentence=True)
    (outcome,) = carried_out([tmp_path / "in.json"], tmp_path / "out.json", changes=by_sentence)
    assert outcome.losses == {Layer.SIGNALS: 1}
    with pytest.raises(UnwritableError, match="it would lose signals"):
        carried_out([tmp_path / "in.json"], tmp_path / "two.json", changes=by_sentence, strict=True)
