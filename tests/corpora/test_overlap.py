from dataclasses import replace

from rhetree.corpora.overlap import text_hash, with_known_text
from rhetree.domain.document import Document


def test_a_text_is_known_whatever_its_name_white_space_and_annotation():
    document = Document.from_edus(["He left,", "since it rained."], name="a")
    same = Document(name="b", text="He left,\n\n  since it rained.")
    other = replace(document, name="c", text=document.text.replace("rained", "snowed"))
    # As sha256sum has it: hashes are kept in models, so no release may compute others.
    assert text_hash(document) == text_hash(same) == "edc4336fa5e5753f"
    assert with_known_text([document, same, other], {text_hash(document)}) == ["a", "b"]
    assert with_known_text([document], ()) == []
