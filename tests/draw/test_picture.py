from dataclasses import replace

import pytest

from rhetree.draw.picture import PictureConfig, draw
from rhetree.errors import MismatchError, UnwritableError
from support.drawn_documents import three_sentences, treasury, treasury_as_parsed


@pytest.mark.parametrize(
    ("format", "start"), [("txt", b"Condition"), ("svg", b"<svg"), ("html", b"<!DOCTYPE html>")]
)
def test_each_kind_is_the_contents_of_its_file(format, start):
    assert draw(treasury(), format).startswith(start)
    assert b"predicted" in draw(treasury(), format, against=treasury_as_parsed())


def test_an_unknown_kind_is_an_error_that_names_the_known_ones():
    with pytest.raises(ValueError, match="'text'; expected one of txt, svg, html, png"):
        draw(treasury(), "text")  # type: ignore[arg-type]  # not a kind of picture


def test_one_sentence_can_be_chosen():
    chosen = draw(three_sentences(), "txt", PictureConfig(sentence=1)).decode()
    assert chosen.splitlines()[0] == "(2) attribution 2–4"
    with pytest.raises(MismatchError, match="weather has sentences 1 to 3, not 4"):
        draw(three_sentences(), "svg", PictureConfig(sentence=3))
    against = draw(three_sentences(), "txt", PictureConfig(sentence=2), against=three_sentences()).decode()
    assert "it stopped." in against
    assert "rained" not in against


def test_a_sentence_of_a_document_without_sentences_is_an_error():
    with pytest.raises(UnwritableError, match="its sentences are not known"):
        draw(treasury(), "svg", PictureConfig(sentence=0))


def test_sentences_of_one_analysis_serve_the_other():
    plain = replace(three_sentences(), sentences=(), sentence_trees=())
    for pair in ((three_sentences(), plain), (plain, three_sentences())):
        text = draw(pair[0], "txt", PictureConfig(sentence=0), against=pair[1]).decode()
        assert text.count("A storm came.") == 2
        assert "it stopped." not in text


def test_text_too_narrow_to_draw_is_refused():
    with pytest.raises(ValueError, match="text needs 30 columns or more, got 10"):
        draw(treasury(), "txt", PictureConfig(width=10))


@pytest.mark.parametrize("options", [{"width": -1}, {"scale": 0}, {"scale": 1000}])
def test_wrong_settings_cannot_be_built(options):
    with pytest.raises(ValueError):
        PictureConfig(**options)


def test_a_comparison_is_of_binary_trees_unless_asked():
    from support.drawn_documents import drawn_nary

    drawn = drawn_nary()
    same = replace(drawn, nary=None, secondary_edges=(), signals=())
    text = draw(drawn, "txt", against=same).decode()
    assert "15 units the same; < 0 only in gold; > 0 only in predicted" in " ".join(text.split())
