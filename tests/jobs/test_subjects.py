from dataclasses import replace

import pytest

from rhetree.domain.relations import INVENTORIES
from rhetree.errors import MismatchError, RhetreeError
from rhetree.formats import write
from rhetree.jobs.subjects import SubjectReader, quoted
from support.drawn_documents import three_sentences, treasury, treasury_as_parsed


@pytest.fixture
def folder(tmp_path):
    write(treasury(), tmp_path / "gold" / "treasury.dis")
    write(three_sentences(), tmp_path / "gold" / "weather.json")
    return tmp_path / "gold"


def test_documents_are_paired_by_name_or_as_the_only_ones(folder, tmp_path):
    other = tmp_path / "other.json"
    write(replace(treasury_as_parsed(), name="as parsed"), other)
    (subject,) = SubjectReader(document="treasury").read(folder, other).all
    assert (subject.document.name, subject.against.name) == ("treasury", "as parsed")
    subjects = SubjectReader().read(folder, folder).all
    assert [subject.document.name == subject.against.name for subject in subjects] == [True, True]
    with pytest.raises(MismatchError, match="other.json has no document called 'treasury', 'weather'"):
        SubjectReader().read(folder, other)


def test_a_name_that_no_document_has_is_an_error_with_the_names_that_there_are(folder):
    with pytest.raises(RhetreeError, match="has no document called 'storm', but 'weather'"):
        SubjectReader(document="storm").read(folder / "weather.json")


def test_sentences_are_found_by_rule_where_neither_side_knows_them(folder):
    subjects = SubjectReader(sentences=True).read(folder)
    assert subjects.n_by_rule == 1
    assert all(subject.sentences_known for subject in subjects.all)
    assert SubjectReader().read(folder).n_by_rule == 0


def test_files_that_cannot_be_read_are_counted_and_noted_when_that_is_asked_for(folder):
    (folder / "broken.dis").write_text("(")
    subjects = SubjectReader(lenient=True).read(folder)
    assert (len(subjects.all), subjects.n_left_out) == (2, 1)
    assert any("broken.dis" in note for note in subjects.notes)


def test_relations_become_classes_or_the_file_that_has_others_is_named(tmp_path):
    plain = tmp_path / "plain.json"
    write(treasury().map_relations(lambda _: "elaboration-additional"), plain)
    (subject,) = SubjectReader(relations=INVENTORIES["rst-dt"]).read(plain).all
    assert {split.relation for split in subject.document.tree.splits} == {"Elaboration"}
    path = tmp_path / "odd.json"
    write(treasury().map_relations(lambda _: "oddity"), path)
    with pytest.raises(MismatchError, match=r"odd\.json: .*oddity"):
        SubjectReader(relations=INVENTORIES["rst-dt"]).read(path)


def test_many_names_are_shortened():
    assert quoted(["a", "b"]) == "'a', 'b'"
    assert quoted(list("abcdefg")) == "'a', 'b', 'c', 'd', 'e' and 2 more"
