import pickle
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhetree.corpora.corpus import Corpus, read_corpus
from rhetree.corpora.splits import read_split_lists
from rhetree.corpora.stats import count
from rhetree.domain.document import Document
from rhetree.domain.relations import GUM
from rhetree.domain.span import Span
from rhetree.domain.tree import Split, Tree
from rhetree.errors import ArgumentError, MismatchError, RhetreeError, TreebankError
from rhetree.formats import read_one
from rhetree.formats import write as save
from support.small_corpora import (
    DIS,
    PLAN_DIS,
    PLAN_MRG,
    PLAN_TEXT,
    RS4,
    SENTENCES,
    conllu,
    gum_layout,
    gum_repository,
    rst_dt_layout,
    write,
)

RAIN = Tree((Split(0, 1, 2, "NS", "causal"),))


def names(documents):
    return [document.name for document in documents]


def sentence_texts(document):
    return [document.text_of(sentence) for sentence in document.sentences]


# --- GUM's layout -----------------------------------------------------------------------------


@pytest.mark.parametrize("trees", [".dis", ".rs4"])
def test_gum_has_trees_from_one_file_and_tokens_from_another(tmp_path, trees):
    corpus = read_corpus(gum_layout(tmp_path, trees=trees))
    assert corpus.layout == "gum"
    assert corpus.notes == ()
    assert {split: names(documents) for split, documents in corpus.splits.items()} == {
        "train": ["a", "b"],
        "test": ["c"],
    }
    document = corpus.split("test")[0]
    assert document.metadata["genre"] == "weather"
    assert sentence_texts(document) == [" ".join(sentence) for sentence in SENTENCES]
    assert document.trees_by_sentence() == [RAIN, Tree()]
    assert corpus.split_by_sentence().split("test")[0].sentence_trees == (RAIN, Tree())


def test_gum_takes_dis_before_rs4_unless_told(tmp_path):
    folder = gum_layout(gum_layout(tmp_path, trees=".rs4"))
    write(folder, {"rs4/a.rs4": RS4.replace("causal-cause", "causal-result")})
    fine = [read_corpus(folder, trees=trees, relations="none").split("train")[0] for trees in (None, "rs4")]
    assert [document.tree.splits[1].relation for document in fine] == ["causal-cause", "causal-result"]
    with pytest.raises(RhetreeError, match=r"no folder tree with trees in it; did you mean trees\?"):
        read_corpus(folder, trees="tree")


def test_relations_go_to_classes_by_name_file_value_or_not_at_all(tmp_path):
    folder = gum_layout(tmp_path)
    own = tmp_path / "own.txt"
    own.write_text("Weather: causal-cause\nRest: elaboration-additional\n", encoding="utf-8")
    for relations, expected, name in [
        (None, "causal-NS", "gum"),
        ("gum", "causal-NS", "gum"),
        (GUM, "causal-NS", "gum"),
        ("none", "causal-cause-NS", None),
        (own, "Weather-NS", "own"),
        (str(own), "Weather-NS", "own"),
    ]:
        corpus = read_corpus(folder, relations=relations)
        assert corpus.relations == name
        assert count(corpus.documents).labels == {expected: 3}
    with pytest.raises(RhetreeError, match=r"no relations 'rst-td': .*did you mean rst-dt\?"):
        read_corpus(folder, relations="rst-td")
    with pytest.raises(TreebankError, match=r"a\.dis: rst-dt has no relation '.*name another inventory"):
        read_corpus(folder, relations="rst-dt")


@pytest.mark.parametrize(
    ("files", "error", "message"),
    [
        (
            {"conllu/a.conllu": conllu("a", [["He", "went", ".", *SENTENCES[0][3:]], SENTENCES[1]])},
            MismatchError,
            r"a\.dis: token 2 is 'came', expected 'went' as in .*a\.conllu",
        ),
        ({"conllu/a.conllu": conllu("a", SENTENCES[:1])}, MismatchError, r"a\.dis: 10 tokens, expected 7"),
        (
            {"conllu/a.conllu": conllu("a", edu_starts={("He", 0), ("It", 0)})},
            MismatchError,
            r"a\.dis: an EDU starts at token 4 \('because'\), but none does in .*a\.conllu",
        ),
        (
            {"conllu/a.conllu": conllu("a") + conllu("b")},
            TreebankError,
            r"a\.conllu: expected one document, found 2",
        ),
        ({"trees/a.dis": DIS[:100]}, TreebankError, r"a\.dis:\d"),
        ({"trees/d.dis": DIS}, RhetreeError, r"d\.conllu: there is no such file with the tokens of .*d\.dis"),
        (
            {"test.txt": "c\ncc\n"},
            TreebankError,
            r"test\.txt:2: cc is listed, but there is no tree of it; did you mean c\?",
        ),
        ({"test.txt": "c\na\n"}, TreebankError, r"test\.txt:2: a is listed already, in .*train\.txt:1"),
        (
            {"trees/more/a.dis": DIS},
            RhetreeError,
            r"more.a\.dis: a second document called 'a'; the first is in .*a\.dis",
        ),
    ],
)
def test_a_bad_document_stops_strict_reading_and_is_left_out_by_lenient(tmp_path, files, error, message):
    folder = write(gum_layout(tmp_path), files)
    with pytest.raises(error, match=message):
        read_corpus(folder)
    if "already" in message:
        return  # a list that contradicts itself splits nothing
    corpus = read_corpus(folder, lenient=True)
    assert any(note.startswith("left out: ") or re.search(message, note) for note in corpus.notes)
    assert "c" in names(corpus.documents)


def test_lenient_reading_counts_what_it_left_out(tmp_path):
    folder = write(tmp_path, {"a.dis": DIS, "b.dis": "(", "c.dis": "("})
    corpus = read_corpus(folder, lenient=True)
    assert (len(corpus.documents), corpus.n_left_out) == (1, 2)
    assert corpus.notes[-1].startswith("1 document has no sentences of its own; by rule")


def test_a_bad_document_of_another_split_does_not_matter(tmp_path):
    folder = write(gum_layout(tmp_path), {"trees/a.dis": "("})
    assert names(read_corpus(folder, split="test").documents) == ["c"]
    with pytest.raises(TreebankError):
        read_corpus(folder, split="train")


def test_a_corpus_of_bad_documents_alone_is_an_error_even_to_lenient_reading(tmp_path):
    folder = write(gum_layout(tmp_path), {f"trees/{name}.dis": "(" for name in "abc"})
    for split in (None, "train"):
        with pytest.raises(RhetreeError, match=r"none of its documents can be read; left out: .*a\.dis:1"):
            read_corpus(folder, split=split, lenient=True)


def test_tokens_without_a_tree_and_documents_of_no_split_are_noted(tmp_path):
    folder = write(gum_layout(tmp_path), {"conllu/d.conllu": conllu("d"), "test.txt": ""})
    corpus = read_corpus(folder)
    assert corpus.notes == (f"1 file of {folder / 'conllu'} has no tree, left out",)
    assert names(corpus.split("unlisted")) == ["c"]
    assert names(corpus.documents) == ["a", "b", "c"]


def test_an_unknown_split_is_an_error_with_a_suggestion(tmp_path):
    folder = gum_layout(tmp_path)
    message = r"no split 'tset', only train, test; did you mean test\?"
    with pytest.raises(RhetreeError, match=message):
        read_corpus(folder).split("tset")
    with pytest.raises(RhetreeError, match=message):
        read_corpus(folder, split="tset")
    with pytest.raises(RhetreeError, match=r"no split 'xyz', only train, test$"):
        read_corpus(folder, split="xyz")


def test_a_split_that_lists_no_document_is_empty_and_one_of_other_files_is_not_read(tmp_path):
    folder = write(gum_layout(tmp_path), {"dev.txt": "\n"})
    for split in (None, "dev"):
        with pytest.raises(RhetreeError, match=r"dev.txt lists no document, so split 'dev' is empty"):
            read_corpus(folder, split=split).split("dev")
    folder = write(tmp_path / "files", {"train/a.dis": DIS, "dev/b.edus": "A cat .\n"})
    with pytest.raises(RhetreeError, match=r"dev: nothing in it is read beside the trees of train"):
        read_corpus(folder).split("dev")
    with pytest.raises(RhetreeError, match=r"no split '', only train"):
        read_corpus(folder).split("")


# --- GUM's repository -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "trees", [None, "rst/lisp_binary", "rst/lisp_nary", "rst/rstweb", "rst/dependencies"]
)
def test_gums_repository_is_read_as_it_is_cloned(tmp_path, trees):
    corpus = read_corpus(gum_repository(tmp_path), trees=trees)
    assert corpus.layout == "gum"
    assert {split: names(documents) for split, documents in corpus.splits.items()} == {
        "train": ["GUM_news_train"],
        "dev": ["GUM_news_dev"],
        "test": ["GUM_news_test"],
        "test2": ["GENTLE_poetry_rain"],
    }
    assert corpus.n_masked == 1
    assert corpus.notes == ("1 document is left out: underscores stand in place of the words",)
    assert all(document.trees_by_sentence() == [RAIN, Tree()] for document in corpus.documents)


def test_gums_repository_is_read_from_binary_trees_unless_told(tmp_path):
    folder = gum_repository(tmp_path)
    for other in ("lisp_nary", "rstweb", "dependencies"):
        for path in (folder / "rst" / other).iterdir():
            path.write_text("nothing", encoding="utf-8")
    assert len(read_corpus(folder).documents) == 4
    with pytest.raises(RhetreeError, match=r"no folder rst/rstwebs with .*; did you mean rst/rstweb\?"):
        read_corpus(folder, trees="rst/rstwebs")


def test_a_document_of_another_split_stops_no_reading(tmp_path):
    folder = gum_repository(tmp_path)
    write(folder, {"rst/lisp_binary/GUM_news_train.dis": "(", "dep/GUM_news_test.conllu": "("})
    assert names(read_corpus(folder, split="dev").documents) == ["GUM_news_dev"]
    some = read_corpus(folder, split=("test2", "dev"))
    assert {split: names(documents) for split, documents in some.splits.items()} == {
        "dev": ["GUM_news_dev"],
        "test2": ["GENTLE_poetry_rain"],
    }
    for split in ("train", "test", ("dev", "test"), None):
        with pytest.raises(RhetreeError):
            read_corpus(folder, split=split)
    lenient = read_corpus(folder, lenient=True)
    assert (len(lenient.documents), lenient.n_left_out, lenient.n_masked) == (2, 2, 1)


def test_a_list_of_another_split_stops_no_reading(tmp_path):
    folder = gum_repository(tmp_path)
    listing = (folder / "splits.md").read_text(encoding="utf-8")
    write(folder, {"splits.md": listing.replace("GUM_news_test", "GUM_news_text")})
    assert len(read_corpus(folder, split="dev").documents) == 1
    with pytest.raises(
        TreebankError, match=r"splits\.md:13: GUM_news_text is listed, but there is no tree of it"
    ):
        read_corpus(folder, split="test")


def test_masked_documents_alone_are_no_corpus(tmp_path):
    folder = gum_repository(tmp_path)
    with pytest.raises(
        RhetreeError, match="none of its documents can be read; 1 document is left out: under"
    ):
        read_corpus(folder, document="GUM_reddit_rain")
    masked = (
        DIS.replace("He came", "__ ____")
        .replace("It poured", "__ ______")
        .replace("because it rained", "_______ __ ______")
    )
    (document,) = read_corpus(write(tmp_path / "files", {"a.dis": masked, "b.dis": DIS})).documents
    assert document.name == "b"


@pytest.mark.parametrize("split", [None, "train"])
def test_a_masked_document_needs_no_tree(tmp_path, split):
    folder = gum_repository(tmp_path)
    (folder / "rst" / "rstweb" / "GUM_reddit_rain.rs4").unlink()
    corpus = read_corpus(folder, trees="rst/rstweb", split=split)
    assert names(corpus.split("train")) == ["GUM_news_train"]
    assert corpus.n_masked == 1
    (folder / "rst" / "rstweb" / "GUM_news_train.rs4").unlink()
    with pytest.raises(TreebankError, match=r"GUM_news_train is listed, but there is no tree of it"):
        read_corpus(folder, trees="rst/rstweb", split=split)


@pytest.mark.parametrize("heading", ["## dev", "## dev:", "# Dev #", "## **dev**", "### `dev`:"])
@pytest.mark.parametrize(
    "item",
    ["  * {}", "- {}", "1. {}", "12) {}", "* `{}`", "* **{}**", "* [{}](dep/{}.conllu)", "- [`{}`](x)"],
)
def test_lists_in_markdown_are_read_in_their_usual_forms(tmp_path, heading, item):
    lines = ["# Splits", "", "Some words.", "", heading, ""]
    lines += [item.replace("{}", name) for name in ("GUM_news_a", "GUM_bio_b_")]
    folder = write(tmp_path, {"splits.md": "\n".join([*lines, "", "## Thanks", "", "To all."])})
    listed = read_split_lists(folder)
    assert {name: (found.split, found.line) for name, found in listed.items()} == {
        "GUM_news_a": ("dev", 7),
        "GUM_bio_b_": ("dev", 8),
    }


@pytest.mark.parametrize(
    "line", ["GUM_news_b", "All the rest.", "* GUM_news_b, GUM_news_c", "*", "* [GUM_b]"]
)
def test_a_line_below_a_split_that_names_no_document_is_an_error(tmp_path, line):
    folder = write(tmp_path, {"splits.md": f"## dev\n\n* GUM_news_a\n{line}\n"})
    message = (
        rf"splits\.md:4: expected a list item with the name of one document of dev.* got '{re.escape(line)}'"
    )
    with pytest.raises(TreebankError, match=message):
        read_split_lists(folder)


# --- RST-DT's layout --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inside", "splits"),
    [
        ("", ["train", "test", "double"]),
        ("data", ["train", "test", "double"]),
        ("data/RSTtrees-WSJ-main-1.0", ["train", "test"]),
        ("data/RSTtrees-WSJ-main-1.0/TRAINING", ["train"]),
        ("data/RSTtrees-WSJ-main-1.0/TEST", ["test"]),
        ("data/RSTtrees-WSJ-double-1.0", ["double"]),
    ],
)
def test_rst_dt_is_known_by_any_of_its_folders(tmp_path, inside, splits):
    rst_dt_layout(tmp_path / "data")
    corpus = read_corpus(tmp_path / inside)
    assert corpus.layout == "rst-dt"
    assert list(corpus.splits) == splits
    assert corpus.relations == "rst-dt"


def test_rst_dt_without_gold_sentences_has_them_by_rule(tmp_path):
    corpus = read_corpus(rst_dt_layout(tmp_path, names=("file1", "wsj_0001")))
    assert names(corpus.split("train")) == ["file1", "wsj_0001"]
    assert corpus.notes[0].startswith("4 documents have no sentences of their own; by rule a sentence ends")
    for document in corpus.documents:
        assert document.text == PLAN_TEXT
        assert sentence_texts(document) == [PLAN_TEXT.strip().split(" \n\n")[0], "Nobody paid $1/2."]
    assert count(corpus.split("test")).labels == {"Attribution-SN": 1, "Joint-NN": 1}
    unknown = read_corpus(tmp_path, by_rule=False)
    assert unknown.notes == ()
    assert not any(document.sentences for document in unknown.documents)


def test_a_dev_folder_of_rst_dt_is_the_split_dev(tmp_path):
    folder = rst_dt_layout(tmp_path)
    trees = folder / "RSTtrees-WSJ-main-1.0"
    (trees / "TRAINING" / "wsj_0002.out").rename(write(trees, {"DEV/x": ""}) / "DEV" / "wsj_0002.out")
    for ending in (".out.edus", ".out.dis"):
        (trees / "TRAINING" / f"wsj_0002{ending}").rename(trees / "DEV" / f"wsj_0002{ending}")
    for place in (folder, trees):
        corpus = read_corpus(place, split=("train", "dev", "test"))
        assert {split: names(documents) for split, documents in corpus.splits.items()} == {
            "train": ["wsj_0001"],
            "dev": ["wsj_0002"],
            "test": ["wsj_0003"],
        }
        assert corpus.split("dev")[0].text == PLAN_TEXT
    for split in (None, "dev"):
        with pytest.raises(RhetreeError, match="it has a split dev, so no share is held out"):
            read_corpus(folder, split=split, dev_share=0.5)


@pytest.mark.parametrize("inside", ["", "RSTtrees-WSJ-main-1.0"])
@pytest.mark.parametrize("called", ["Dev", "dev"])
def test_the_folders_of_rst_dt_are_known_in_any_case(tmp_path, inside, called):
    folder = rst_dt_layout(tmp_path / "rst")
    trees = folder / "RSTtrees-WSJ-main-1.0"
    (trees / "TEST").rename(trees / called)
    (trees / "TRAINING").rename(trees / "Training")
    corpus = read_corpus(folder / inside, split=("train", "dev"))
    assert corpus.layout == "rst-dt"
    assert names(corpus.split("dev")) == ["wsj_0003"]
    assert not any("not read" in note for note in corpus.notes)
    assert names(read_corpus(trees / called).split("dev")) == ["wsj_0003"]


@pytest.mark.parametrize("inside", ["", "RSTtrees-WSJ-main-1.0"])
def test_a_folder_of_trees_that_is_no_split_of_rst_dt_is_noted(tmp_path, inside):
    folder = rst_dt_layout(tmp_path)
    other = folder / "RSTtrees-WSJ-main-1.0" / "VALIDATION"
    write(other, {"wsj_0009.out.dis": PLAN_DIS})
    write(other.parent, {"notes/readme": "No tree."})
    note = f"{other} is not read; of the folders there only TRAINING, DEV, TEST are splits"
    notes = read_corpus(folder / inside).notes
    assert [told for told in notes if "not read" in told] == [note]
    assert not any("not read" in told for told in read_corpus(other.parent / "TRAINING").notes)


def test_folders_called_dev_and_test_are_not_rst_dt_by_that(tmp_path):
    corpus = read_corpus(write(tmp_path, {"train/a.dis": DIS, "dev/b.dis": DIS, "test/c.dis": DIS}))
    assert corpus.layout == "files"
    assert list(corpus.splits) == ["train", "dev", "test"]


def test_second_annotations_are_a_split_of_their_own_and_count_for_no_text(tmp_path):
    corpus = read_corpus(rst_dt_layout(tmp_path))
    assert names(corpus.split("double")) == ["wsj_0001"]
    assert names(corpus.documents) == ["wsj_0001", "wsj_0002", "wsj_0003"]
    assert len(read_corpus(tmp_path, split="double").documents) == 1


def test_rst_dt_takes_sentences_and_tokens_from_the_penn_treebank(tmp_path):
    penn = write(
        tmp_path / "ptb", {f"wsj/07/{name}.mrg": PLAN_MRG for name in ("wsj_0764", "wsj_0002", "wsj_0003")}
    )
    folder = rst_dt_layout(tmp_path / "rst", names=("file1", "wsj_0002"), double=())
    corpus = read_corpus(folder, sentences=penn)
    assert corpus.notes == ()
    for document in corpus.documents:
        assert [len(sentence) for sentence in document.sentences] == [24, 5]
        assert document.sentence_edus() == [Span(0, 3), Span(3, 4)]
        assert document.forms_of(Span(0, 6)) == ['"', "The", "plan", "(", "half", "of"]
        assert document.forms_of(document.sentences[1]) == ["Nobody", "paid", "$", "1/2", "."]
        assert document.text == PLAN_TEXT


def test_rst_dt_takes_sentences_from_conllu_by_file_or_by_name(tmp_path):
    folder = rst_dt_layout(tmp_path / "rst", double=())
    sentences = [PLAN_TEXT.split()[:-3], PLAN_TEXT.split()[-3:]]
    both = "".join(conllu(name, sentences, ()) for name in ("wsj_0002", "wsj_0003"))
    gold = write(tmp_path / "gold", {"wsj_0001.conllu": conllu("x", sentences, ()), "others.conllu": both})
    corpus = read_corpus(folder, sentences=gold)
    assert corpus.notes == ()
    assert {len(document.sentences) for document in corpus.documents} == {2}


@pytest.mark.parametrize(
    ("gold", "message", "forgiven"),
    [
        (
            {"wsj_0001.mrg": PLAN_MRG, "wsj_0002.mrg": PLAN_MRG},
            r"gold: no sentences of wsj_0003, whose tree is .*wsj_0003\.out\.dis",
            "gold sentences left out: ",
        ),
        (
            {f"wsj_000{n}.mrg": PLAN_MRG if n < 3 else "( (S (NN Something) (NN else) ))" for n in (1, 2, 3)},
            r"wsj_0003\.mrg: token 1 is 'Something', but the text goes on with '\"The plan",
            "gold sentences left out: ",
        ),
        (
            {f"wsj_000{n}.mrg": PLAN_MRG if n < 3 else "( (S (NN Someth" for n in (1, 2, 3)},
            r"wsj_0003\.mrg:1: the file ends in a tree",
            "gold sentences left out: ",
        ),
    ],
)
def test_gold_sentences_that_do_not_fit_are_an_error_or_give_way_to_the_rule(
    tmp_path, gold, message, forgiven
):
    folder = rst_dt_layout(tmp_path / "rst", double=())
    write(tmp_path / "gold", gold)
    with pytest.raises(RhetreeError, match=message):
        read_corpus(folder, sentences=tmp_path / "gold")
    corpus = read_corpus(folder, sentences=tmp_path / "gold", lenient=True)
    assert corpus.notes[0].startswith(forgiven)
    assert len(corpus.documents) == 3
    assert {len(document.sentences) for document in corpus.documents} == {2}


def test_a_folder_of_sentences_must_have_some_and_each_once(tmp_path):
    folder = rst_dt_layout(tmp_path / "rst")
    with pytest.raises(RhetreeError, match="none: no such file or folder"):
        read_corpus(folder, sentences=tmp_path / "none")
    with pytest.raises(
        RhetreeError, match=r"rst: no sentences in it; expected files that end in \.mrg, \.conllu"
    ):
        read_corpus(folder, sentences=folder)
    twice = write(tmp_path / "twice", {"06/wsj_0001.mrg": PLAN_MRG, "07/wsj_0001.mrg": PLAN_MRG})
    with pytest.raises(RhetreeError, match=r"07.wsj_0001\.mrg: .*06.wsj_0001\.mrg has the same name"):
        read_corpus(folder, sentences=twice)


def test_rst_dt_documents_without_their_other_files_have_the_text_of_the_tree(tmp_path):
    folder = write(tmp_path, {"TRAINING/wsj_0001.out.dis": PLAN_DIS})
    (document,) = read_corpus(folder).documents
    assert document.name == "wsj_0001"
    assert len(document.sentences) == 2


def test_a_text_that_is_not_the_trees_is_an_error_or_gives_way(tmp_path):
    folder = rst_dt_layout(tmp_path, names=("wsj_0001",), test=(), double=())
    write(folder, {"RSTtrees-WSJ-main-1.0/TRAINING/wsj_0001.out": "Something else.\n"})
    with pytest.raises(MismatchError, match=r"wsj_0001\.out: token 1 is '\"The', but the text goes on"):
        read_corpus(folder)
    corpus = read_corpus(folder, lenient=True)
    assert corpus.notes[0].startswith("its text is the tree's own: ")
    assert corpus.documents[0].edu_texts()[0] == '"The plan (half of it) is off,'


def test_differences_between_the_files_of_a_document_are_noted(tmp_path):
    folder = rst_dt_layout(tmp_path, names=("wsj_0001",), test=(), double=())
    part = "RSTtrees-WSJ-main-1.0/TRAINING"
    write(
        folder,
        {f"{part}/wsj_0001.out": PLAN_TEXT.replace("wife", "aunt"), f"{part}/wsj_0001.out.edus": "one\n"},
    )
    assert read_corpus(folder).notes[:2] == (
        "wsj_0001: wsj_0001.out.edus has 1 EDU, the tree 4, which count",
        "wsj_0001: the text has 'aunt' in place of 'wife' at character 48",
    )


# --- any other folder -------------------------------------------------------------------------


def test_a_plain_folder_is_one_split(tmp_path):
    write(
        tmp_path, {"b.rs4": RS4, "deep/a.dis": DIS, ".hidden/c.dis": "(", "notes.txt": "x", "README.md": "x"}
    )
    corpus = read_corpus(tmp_path)
    assert corpus.layout == "files"
    assert corpus.relations is None
    assert {split: names(documents) for split, documents in corpus.splits.items()} == {"all": ["a", "b"]}
    assert corpus.notes[0].startswith("2 documents have no sentences of their own")
    assert count(corpus.documents).labels == {"causal-cause-NS": 2}


def test_a_plain_folder_is_split_by_lists_or_by_where_files_are(tmp_path):
    listed = write(tmp_path / "listed", {"a.dis": DIS, "b.rs4": RS4, "train.txt": "a", "dev.txt": "b"})
    inside = write(tmp_path / "inside", {"train/a.dis": DIS, "dev/b.rs4": RS4})
    for folder in (listed, inside):
        splits = read_corpus(folder).splits
        assert {split: names(documents) for split, documents in splits.items()} == {
            "train": ["a"],
            "dev": ["b"],
        }


def test_a_file_of_many_documents_is_split_by_its_name_or_by_lists(tmp_path):
    folder = write(tmp_path, {"train.conllu": conllu("a") + conllu("b"), "dev.conllu": conllu("c")})
    corpus = read_corpus(folder)
    assert {split: names(documents) for split, documents in corpus.splits.items()} == {
        "train": ["a", "b"],
        "dev": ["c"],
    }
    assert names(read_corpus(folder / "train.conllu").documents) == ["a", "b"]
    write(folder, {"test.txt": "b\n"})
    assert names(read_corpus(folder, split="test").documents) == ["b"]
    write(folder, {"test.txt": "bb\n"})
    with pytest.raises(TreebankError, match=r"test\.txt:1: bb is listed, but there is no tree of it"):
        read_corpus(folder)


def test_one_document_is_read_without_the_files_of_others(tmp_path):
    folder = gum_layout(tmp_path / "gum")
    write(folder, {"trees/b.dis": "(", "conllu/b.conllu": "("})
    corpus = read_corpus(folder, document="c")
    assert {split: names(documents) for split, documents in corpus.splits.items()} == {"test": ["c"]}
    assert len(corpus.documents[0].sentences) == 2
    with pytest.raises(RhetreeError, match="gum has no document called 'd', but 'a', 'b', 'c'"):
        read_corpus(folder, document="d")
    with pytest.raises(RhetreeError, match="none of its documents can be read; left out: "):
        read_corpus(folder, document="b", lenient=True)


def test_one_document_is_found_among_others_of_a_file(tmp_path):
    files = {"a.conllu": "(", "b.conllu": conllu("b"), "more.conllu": conllu("c") + conllu("d")}
    folder = write(tmp_path, files)
    assert names(read_corpus(folder, document="b").documents) == ["b"]
    assert names(read_corpus(folder, document="d", lenient=True).documents) == ["d"]
    with pytest.raises(RhetreeError, match="has no document called 'x', but 'b', 'c', 'd'"):
        read_corpus(folder, document="x", lenient=True)


def test_segmented_text_without_trees_is_a_corpus_too(tmp_path):
    stats = count(read_corpus(write(tmp_path, {"a.conllu": conllu("a")})).documents)
    assert (stats.sentences, stats.one_edu, stats.without_tree, stats.edus) == (2, 1, 1, 3)


def test_two_documents_of_one_name_are_an_error(tmp_path):
    write(tmp_path, {"one/a.dis": DIS, "two/a.rs4": RS4})
    with pytest.raises(RhetreeError, match=r"a\.rs4: a second document called 'a'; the first is in .*a\.dis"):
        read_corpus(tmp_path)


def test_sentences_of_any_corpus_can_come_from_elsewhere(tmp_path):
    trees = write(tmp_path / "trees", {"a.dis": DIS})
    gold = write(tmp_path / "gold", {"a.conllu": conllu("a")})
    corpus = read_corpus(trees, sentences=gold)
    assert corpus.notes == ()
    assert corpus.documents[0].metadata["genre"] == "weather"


def test_sentence_trees_cannot_move_to_other_sentences(tmp_path):
    document = read_one(write(tmp_path, {"b.conllu": conllu("b")}) / "b.conllu")
    save(replace(document, name="a", sentence_trees=(None, Tree())), tmp_path / "trees" / "a.json")
    gold = write(tmp_path / "gold", {"a.conllu": conllu("a", [SENTENCES[0] + SENTENCES[1]], ())})
    assert count(read_corpus(tmp_path / "trees").documents).without_tree == 1
    with pytest.raises(TreebankError, match=r"a\.json: 2 sentence trees for 1 sentence"):
        read_corpus(tmp_path / "trees", sentences=gold)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, r"no corpus in it; expected trees/ beside conllu/ .*, or files that end in \.dis"),
        ({"README.md": "x", "a.txt": "x"}, "no corpus in it"),
        (
            {"trees/a.txt": "x", "conllu/a.conllu": conllu("a")},
            r"trees: no tree in it; expected files that end",
        ),
        ({"TRAINING/a.txt": "x"}, "no corpus in it"),
    ],
)
def test_a_folder_that_is_no_corpus_is_an_error(tmp_path, files, message):
    with pytest.raises(RhetreeError, match=message):
        read_corpus(write(tmp_path, files))


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(RhetreeError, match="nowhere: no such file or folder"):
        read_corpus(tmp_path / "nowhere")


# --- holding out ------------------------------------------------------------------------------


def corpus_of(n_documents, split="train"):
    documents = tuple(Document.from_edus(["One."], name=f"d{number:03}") for number in range(n_documents))
    return Corpus(path=Path("c"), layout="files", splits={split: documents, "test": documents[:1]})


def test_a_share_is_drawn_from_the_seed_alone():
    held = corpus_of(20).hold_out(0.1, seed=1)
    # The names themselves, so that no platform and no release draws others.
    assert names(held.split("dev")) == ["d014", "d018"]
    assert names(held.split("train")) == [
        name for name in names(corpus_of(20).split("train")) if name not in names(held.split("dev"))
    ]
    assert held.notes == ("dev is a random 10% of the documents of train, from seed 1: 2",)
    assert len({tuple(names(corpus_of(20).hold_out(0.1, seed).split("dev"))) for seed in range(10)}) > 5


@given(st.integers(2, 60), st.floats(0.01, 0.6), st.integers())
def test_a_share_parts_the_documents_in_two(n_documents, share, seed):
    corpus = corpus_of(n_documents, split="all")
    held = corpus.hold_out(share, seed)
    train, dev = held.split("train"), held.split("dev")
    assert sorted(names([*train, *dev])) == names(corpus.split("all"))
    assert len(dev) == max(1, round(share * n_documents))
    assert held.split("test") == corpus.split("test")
    assert "all" not in held.splits


def test_a_share_needs_room(tmp_path):
    with pytest.raises(RhetreeError, match="1 documents are too few to hold out 10% of them"):
        corpus_of(1).hold_out(0.1, 0)
    with pytest.raises(RhetreeError, match="it has a split dev, so no share is held out"):
        corpus_of(5).hold_out(0.5, 0).hold_out(0.5, 0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        corpus_of(5).hold_out(1.5, 0)


def test_reading_can_hold_out_too(tmp_path):
    folder = gum_layout(tmp_path)
    corpus = read_corpus(folder, dev_share=0.5, seed=3)
    assert list(corpus.splits) == ["train", "dev", "test"]
    assert read_corpus(folder, split="dev", dev_share=0.5, seed=3).documents == corpus.split("dev")


def test_holding_out_reads_no_other_split(tmp_path):
    folder = write(gum_layout(tmp_path), {"trees/c.dis": "("})
    assert len(read_corpus(folder, split=("train", "dev"), dev_share=0.5).documents) == 2
    with pytest.raises(TreebankError):
        read_corpus(folder, split="test", dev_share=0.5)


def test_a_corpus_without_dev_or_without_splits_says_to_hold_out_a_share(tmp_path):
    for folder, split, message in [
        (
            gum_layout(tmp_path / "gum"),
            "dev",
            "no split 'dev', only train, test; hold out a share of the training",
        ),
        (
            write(tmp_path / "files", {"a.dis": DIS, "b.dis": DIS}),
            "dev",
            "it is not split, so there is no 'dev'; hold out",
        ),
        (
            tmp_path / "files",
            "train",
            "it is not split, so there is no 'train'; hold out a share of its documents",
        ),
    ]:
        with pytest.raises(ArgumentError, match=message) as caught:
            read_corpus(folder, split=split)
        assert caught.value.argument == "dev_share"
        assert read_corpus(folder, split=split, dev_share=0.5).split(split)


def test_a_corpus_crosses_processes(tmp_path):
    corpus = read_corpus(gum_layout(tmp_path))
    assert pickle.loads(pickle.dumps(corpus)) == corpus


# --- the real one -----------------------------------------------------------------------------

GUM_COUNTS = {
    "train": (177, 10224, 4654, 4947, 623, 23013),
    "dev": (30, 1575, 717, 761, 97, 3634),
    "test": (30, 1464, 567, 824, 73, 3518),
}


def test_gum_has_the_counts_of_its_readme(gum):
    corpus = read_corpus(gum)
    assert corpus.notes == ()
    stats = {split: count(documents) for split, documents in corpus.splits.items()}
    assert {
        split: (
            found.documents,
            found.sentences,
            found.one_edu,
            found.with_tree,
            found.without_tree,
            found.edus,
        )
        for split, found in stats.items()
    } == GUM_COUNTS
    total = count(corpus.documents)
    assert total == sum(stats.values(), start=count([]))
    assert len(total.labels) == 28
    assert list(total.labels)[:5] == [
        "elaboration-NS",
        "joint-NN",
        "same-unit-NN",
        "attribution-SN",
        "purpose-NS",
    ]
    assert all(document.metadata["genre"] for document in corpus.documents)


def test_gum_has_the_same_counts_from_rs4(gum):
    from_dis, from_rs4 = (read_corpus(gum, split="dev", trees=trees).documents for trees in ("trees", "rs4"))
    assert count(from_rs4) == count(from_dis)
    assert [document.trees_by_sentence() for document in from_rs4] == [
        document.trees_by_sentence() for document in from_dis
    ]
    assert any(document.signals for document in from_rs4)
