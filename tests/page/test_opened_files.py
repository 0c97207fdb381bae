"""Files on the page: opened in every format that we read, saved, dropped, compared."""

import io
from pathlib import Path

import pytest

from rhetree.formats import FORMATS, write
from support.browsing import BRIDGE, module, open_file, parse, saved_as, show
from support.drawn_documents import treasury, treasury_as_parsed
from support.fake_model import fake_parser


def marked(page):
    """The signs and units that differ, on both sides."""
    signs = page.locator(".link.differs text").all_text_contents()
    only = page.evaluate(
        "() => [...document.querySelectorAll('.unit.only')].map((unit) => `${unit.dataset.start}-${unit.dataset.end}`)"
    )
    return signs, only


def test_the_page_knows_the_endings_of_all_formats(bench):
    endings = {suffix: format.name for format in FORMATS.values() for suffix in format.suffixes}
    assert {
        suffix: module(bench, "service", "(service, name) => service.formatOf(`a${name}`)", suffix)
        for suffix in endings
    } == endings
    assert module(bench, "service", "(service) => service.formatOf('a.txt')") is None


def test_every_format_that_we_read_is_opened(page, tmp_path):
    parsed = fake_parser().parse(BRIDGE)
    for format in FORMATS.values():
        document = treasury() if format.name in ("dis", "rs3", "rs4", "rsd", "brackets") else parsed
        path = tmp_path / f"a{format.suffixes[0]}"
        write(document, path)
        open_file(page, path)
        assert page.locator("#status.error").count() == 0, format.name
        n_edus = page.evaluate(
            "() => window.rhetree.document.panels.reduce((sum, panel) => sum + (panel.edus || []).length, 0)"
        )
        assert n_edus == 4, format.name
        has_tree = format.name not in ("edus", "conllu", "tok")
        assert bool(page.locator("svg.rst").count()) == has_tree, format.name


@pytest.mark.parametrize("format", ["edus", "conllu"])
def test_trees_are_found_for_a_file_without_any(page, tmp_path, format):
    path = tmp_path / f"a.{format}"
    write(fake_parser().parse(BRIDGE), path)
    open_file(page, path)
    before = page.locator(".words .edu").all_inner_texts()
    assert len(before) == 4
    page.click("#parse-document")
    page.wait_for_selector("svg.rst")
    assert page.locator(".words .edu").all_inner_texts() == before
    assert not page.locator("#parse-document").is_visible()


def test_several_documents_of_a_file_are_offered(page, tmp_path):
    write([treasury(), fake_parser().parse(BRIDGE)], tmp_path / "a.jsonl")
    open_file(page, tmp_path / "a.jsonl")
    assert page.locator("#pick option").count() == 2
    page.select_option("#pick", "1")
    shown = page.locator(".words .edu").first
    shown.filter(has_text="They closed").wait_for()  # until it is drawn it has no inner text


def test_a_text_file_is_parsed_and_a_broken_one_is_told(page, tmp_path):
    (tmp_path / "a.txt").write_text(BRIDGE, encoding="utf-8")
    open_file(page, tmp_path / "a.txt")
    assert page.locator(".words .edu").count() == 4
    (tmp_path / "a.rs3").write_text("<rst>", encoding="utf-8")
    open_file(page, tmp_path / "a.rs3")
    assert "a.rs3" in page.locator("#status.error").inner_text()
    page.faults.clear()  # the browser itself notes a 422


def test_a_dropped_file_is_opened(page):
    page.evaluate(
        """(content) => {
          const data = new DataTransfer();
          data.items.add(new File([content], "a.edus"));
          document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        "The Treasury said\nit would wait.\n",
    )
    page.wait_for_selector("section.row")
    assert page.locator(".words .edu").all_inner_texts() == ["The Treasury said", "it would wait."]


def test_everything_is_saved_in_each_format(page):
    parse(page, f"{BRIDGE} It rained.")
    assert saved_as(page, "svg").startswith(b"<svg ")
    assert saved_as(page, "png").startswith(b"\x89PNG")
    rows = saved_as(page, "csv").decode().splitlines()
    assert rows[0].startswith("document,sentence,edu")
    assert len(rows) == 1 + page.locator(".words .edu").count()
    for format in ("rs3", "rs4"):
        (document,) = FORMATS[format].read(io.StringIO(saved_as(page, format).decode()), Path(f"a.{format}"))
        assert len(document.edus) == page.locator(".words .edu").count()
    page.click("#save > summary")
    page.click("#save [data-format=dis]")
    assert "choose a sentence" in page.locator("#status.error").inner_text()
    page.locator(".link .relation").first.click()
    (document,) = FORMATS["dis"].read(io.StringIO(saved_as(page, "dis").decode()), Path("a.dis"))
    assert len(document.edus) == 4
    page.fill("#level", "0")
    left = saved_as(page, "txt").decode()
    assert len(left.splitlines()) == 2
    assert len(left) < len(f"{BRIDGE} It rained.")


def test_two_files_are_compared_from_difference_to_difference(page, tmp_path):
    write(treasury(), tmp_path / "gold.json")
    write(treasury_as_parsed(), tmp_path / "parsed.json")
    open_file(page, tmp_path / "gold.json")
    page.click("#compare > summary")
    with page.expect_file_chooser() as chooser:
        page.click("#compare [data-with=file]")
    chooser.value.set_files(tmp_path / "parsed.json")
    page.wait_for_selector("section.pair svg")
    assert marked(page) == (["≠NR Condition", "≠NR Attribution"], ["0-2", "2-3", "3-4", "1-3"])
    assert page.locator("#n-differences").inner_text() == "5"
    told = []
    for _ in range(5):
        page.keyboard.press("d")
        told.append(page.locator("#status").inner_text())
    assert (
        told[0]
        == "Difference 1 of 5 (left, this document): other nuclearity and relation on the other side, Attribution."
    )
    assert told[1] == "Difference 2 of 5 (left, this document): only on this side."
    assert told[2] == "Difference 3 of 5 (right, parsed.json): only on this side."
    page.click("#next")
    assert page.locator("#status").inner_text() == told[0]
    page.click("#previous")
    assert page.locator("#status").inner_text() == told[4]
    assert not page.locator("#editor").is_visible()
    page.click("#close-comparison")
    assert page.locator("section.pair").count() == 0
    assert page.locator("svg.rst").count() == 1


def test_a_document_is_compared_with_the_parser_and_with_itself(page):
    parse(page, f"{BRIDGE} It rained.")
    page.evaluate("() => window.rhetree.choose({ number: 0, start: 0, end: 4 }, true)")
    page.keyboard.press("n")
    for what in ("parser", "start"):
        page.click("#compare > summary")
        page.click(f"#compare [data-with={what}]")
        page.wait_for_selector("section.pair svg")
        assert page.locator("#n-differences").inner_text() == "1"
        assert all(sign.startswith("≠N ") for sign in marked(page)[0])
        page.click("#close-comparison")
    page.click("#undo")
    page.click("#compare > summary")
    page.click("#compare [data-with=start]")
    assert page.locator("#next").is_disabled()
    assert page.locator("#status").inner_text() == "No difference to what was first opened."


def test_other_texts_cannot_be_compared(page, tmp_path):
    show(page, treasury())
    write(fake_parser().parse("It rained."), tmp_path / "b.json")
    page.click("#compare > summary")
    with page.expect_file_chooser() as chooser:
        page.click("#compare [data-with=file]")
    chooser.value.set_files(tmp_path / "b.json")
    page.wait_for_selector("#status.error")
    assert (
        page.locator("#status").inner_text() == "These are not of the same text: token 1 is “The” and “It”."
    )


@pytest.mark.parametrize("sentences", [True, False])
def test_a_documents_tree_is_compared_by_sentence_where_the_other_has_sentences(bench, sentences):
    left = {"id": "", "text": "a b c d", "edus": [[0, 1], [1, 2], [2, 3], [3, 4]]}
    left["tree"] = [[0, 2, 4, "NS", "x"], [0, 1, 2, "NN", "y"], [2, 3, 4, "NN", "z"]]
    right = {
        "id": "",
        "text": "a b c d",
        "sentences": [
            {
                "tokens": ["a", "b"],
                "offsets": [[0, 1], [2, 3]],
                "edus": [[0, 1], [1, 2]],
                "splits": [[0, 1, 2, "NN", "y"]],
            },
            {"tokens": ["c", "d"], "offsets": [[4, 5], [6, 7]], "edus": [[0, 2]], "splits": []},
        ],
    }
    left |= {"tokens": ["a", "b", "c", "d"], "offsets": [[0, 1], [2, 3], [4, 5], [6, 7]]}
    found = bench.evaluate(
        """async ([left, right]) => {
          const { fromRecord } = await import("/js/document.js");
          const { compare } = await import("/js/compare.js");
          const { pairs, differences } = compare(fromRecord(left), fromRecord(right));
          return [pairs, differences.map(({ side, from, to }) => [side, from, to])];
        }""",
        [left, right] if sentences else [left, left],
    )
    if sentences:
        assert found == [[[[0], [0]], [[1], [1]]], [[0, 2, 3], [0, 3, 4]]]
    else:
        assert found == [[[[0], [0]]], []]
