import pytest

from rhetree.domain.relations import GUM, PAPER_LABELS, RST_DT, label_parts, read_inventory
from rhetree.errors import TreebankError


def test_the_paper_has_39_labels():
    assert len(PAPER_LABELS) == len(set(PAPER_LABELS)) == 39


def test_rst_dt_has_18_classes():
    assert len(set(RST_DT.classes.values())) == 18


@pytest.mark.parametrize(
    ("fine", "coarse"),
    [
        ("Elaboration-object-attribute-e", "Elaboration"),
        ("evaluation-s-e", "Evaluation"),
        ("consequence-n", "Cause"),
        ("Same-Unit", "Same-Unit"),
        ("TextualOrganization", "TextualOrganization"),
        ("Textual-Organization", "TextualOrganization"),
        ("textual-organization-e", "TextualOrganization"),
        ("temporal-same-time", "Temporal"),
        ("Topic-Comment", "Topic-Comment"),
        ("Manner-Means", "Manner-Means"),
    ],
)
def test_rst_dt_classes_ignore_case_and_suffixes(fine, coarse):
    assert RST_DT.class_of(fine) == coarse


def test_a_relation_outside_the_inventory_is_named():
    with pytest.raises(ValueError, match="rst-dt has no relation 'gossip'"):
        RST_DT.class_of("gossip")


def test_gum_classes_stand_before_the_hyphen():
    assert GUM.class_of("adversative-concession") == "adversative"
    assert GUM.class_of("same-unit") == "same-unit"
    assert GUM.class_of("joint") == "joint"


def test_an_inventory_comes_from_a_file(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("# classes\nContrast: contrast, Concession\nJoint: list\n", encoding="utf-8")
    inventory = read_inventory(path)
    assert inventory.name == "mine"
    assert inventory.class_of("concession") == "Contrast"
    assert inventory.class_of("joint") == "Joint"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it lists no class"),
        (
            "Contrast contrast\n",
            "mine.txt:1: expected 'Class: relation, relation', found 'Contrast contrast'",
        ),
        ("A: x\nB: X\n", "mine.txt:2: X belongs to A already, found it under B"),
    ],
)
def test_a_broken_inventory_says_where(tmp_path, text, message):
    path = tmp_path / "mine.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TreebankError, match=message):
        read_inventory(path)


def test_an_inventory_that_is_not_there_is_named():
    with pytest.raises(TreebankError, match=r"nowhere\.txt: cannot be read: No such file"):
        read_inventory("nowhere.txt")


def test_label_parts():
    assert label_parts("same-unit-NN") == ("same-unit", "NN")
    with pytest.raises(ValueError, match="got 'joint'"):
        label_parts("joint")
