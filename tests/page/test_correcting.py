"""Correcting trees on the page: by mouse and keys, undone, kept, saved, and read back by our own readers."""

import io
import json
from pathlib import Path

import pytest

from rhetree.domain.document import Document
from rhetree.formats import FORMATS
from support.browsing import BRIDGE, choose, open_file, parse, saved, saved_as, show, tree
from support.drawn_documents import drawn_nary, treasury
from support.fake_model import fake_parser


def edus(page):
    return page.evaluate("() => window.rhetree.document.panels.flatMap((panel) => panel.edus)")


TREASURY = [[0, 2, 4, "NS", "Condition"], [0, 1, 2, "SN", "Attribution"], [2, 3, 4, "NN", "Temporal"]]


def test_a_relation_is_chosen_from_the_inventory(page):
    show(page, treasury())
    page.locator(".link text", has_text="Temporal").click()
    options = page.locator("#relation option").all_inner_texts()
    assert options == ["Attribution", "Condition", "Temporal", "attribution", "elaboration", "joint"]
    page.focus("#relation")
    page.select_option("#relation", "joint")
    assert tree(page)[2] == [2, 3, 4, "NN", "joint"]
    assert page.locator(".link.decided text").text_content() == "joint"
    assert page.evaluate("() => document.activeElement.id") == "relation"


def test_keys_correct_the_unit_that_has_the_focus(page):
    show(page, treasury())
    choose(page, 0, 4)
    page.keyboard.press("n")
    assert tree(page)[0] == [0, 2, 4, "SN", "Condition"]
    page.keyboard.press("Shift+N")
    assert tree(page)[0] == [0, 2, 4, "NN", "Condition"]
    page.keyboard.press(".")
    assert tree(page) == [
        [0, 3, 4, "NN", "Temporal"],
        [0, 2, 3, "NN", "Condition"],
        [0, 1, 2, "SN", "Attribution"],
    ]
    page.keyboard.press(",")
    page.keyboard.press(",")
    assert [split[:3] for split in tree(page)] == [[0, 1, 4], [1, 2, 4], [2, 3, 4]]
    choose(page, 1, 2)
    page.keyboard.press("j")
    assert edus(page) == [[0, 4], [4, 18], [18, 24]]
    page.keyboard.press("s")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert edus(page) == [[0, 4], [4, 6], [6, 18], [18, 24]]
    assert "Choose its relation" in page.locator("#status").inner_text()
    for _ in range(7):
        page.keyboard.press("Control+z")
    assert tree(page) == TREASURY
    assert edus(page) == [[0, 4], [4, 10], [10, 18], [18, 24]]
    assert page.locator("#undo").is_disabled()
    for _ in range(7):
        page.keyboard.press("Control+y")
    assert edus(page) == [[0, 4], [4, 6], [6, 18], [18, 24]]
    assert page.locator("#redo").is_disabled()


def test_the_mouse_does_the_same(page):
    show(page, treasury())
    label = page.locator(".link text", has_text="Condition")
    label.click()
    page.click("#order-SN")
    assert tree(page)[0] == [0, 2, 4, "SN", "Condition"]
    page.click("#split-left")
    assert tree(page)[0][:3] == [0, 1, 4]
    page.click("#undo")
    page.click("#undo")
    assert tree(page) == TREASURY
    # Drag the relation's name to between the third and the fourth EDU.
    third, fourth = (
        page.locator(f'.unit[data-start="{at}"][data-end="{at + 1}"]').bounding_box() for at in (2, 3)
    )
    label.hover()
    page.mouse.down()
    page.mouse.move((third["x"] + third["width"] + fourth["x"]) / 2, third["y"], steps=5)
    assert page.locator(".guide").count() == 1
    page.mouse.up()
    assert tree(page)[0][:3] == [0, 3, 4]
    assert page.locator(".guide").count() == 0
    page.locator(".words .edu").nth(1).click()
    page.click("#join-before")
    assert edus(page)[0] == [0, 10]
    page.locator(".words .edu").first.click()
    page.click("#gap-3")
    assert edus(page)[:2] == [[0, 3], [3, 10]]


def test_a_runner_up_is_taken_by_a_click(page):
    parse(page, BRIDGE)
    choose(page, 0, 4)
    before = tree(page)[0]
    page.locator('#editor [id^="label-"][aria-pressed="false"]').first.click()
    after = tree(page)[0]
    assert after[:3] == before[:3]
    assert after[3:] != before[3:]


def test_work_is_there_again_after_a_reload(page, site):
    parse(page, BRIDGE)
    choose(page, 0, 4)
    page.keyboard.press("n")
    corrected = tree(page)
    page.reload()  # at once: what was not yet kept is kept when the page is left
    page.wait_for_selector("svg.rst")
    assert tree(page) == corrected
    assert "1 correction" in page.locator("#status").inner_text()
    page.click("#undo")
    assert tree(page) != corrected
    page.click("#redo")
    saved(page)
    # Where room is short, neither history nor what was opened is kept; what was decided is.
    page.evaluate(
        """() => {
          const { store } = window.rhetree;
          store.save({ ...store.load(), opened: null, history: { done: [], undone: [] } });
          location.hash = "";
        }"""
    )
    page.reload()
    page.wait_for_selector(".link.decided")
    assert tree(page) == corrected
    saved(page)
    other = page.context.new_page()
    other.goto(site)
    assert other.locator("section.row").count() == 0  # a tab of its own
    other.click("#more > summary")
    other.locator("#works button").click()
    other.wait_for_selector("svg.rst")
    assert tree(other) == tree(page)


def test_a_save_that_is_broken_off_leaves_the_last_one(page):
    parse(page, BRIDGE)
    choose(page, 0, 4)
    page.keyboard.press("n")
    saved(page)
    kept = tree(page)
    page.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; }"
    )
    page.keyboard.press("n")
    page.wait_for_function("() => document.querySelector('#status.error')?.textContent.includes('no room')")
    page.reload()
    page.wait_for_selector("svg.rst")
    assert tree(page) == kept


def test_a_short_history_is_kept_where_room_is_short(bench):
    kept = bench.evaluate(
        """async () => {
          const { Store } = await import("/js/store.js");
          const room = { values: new Map(), limit: 900, get length() { return this.values.size; }, key(at) { return [...this.values.keys()][at]; },
            getItem(key) { return this.values.get(key) ?? null; }, removeItem(key) { this.values.delete(key); },
            setItem(key, value) { if (value.length > this.limit) throw new Error("full"); this.values.set(key, value); } };
          const session = { getItem: () => null, setItem: () => {} };
          const store = new Store(room, session);
          const history = (length) => ({ done: Array.from({ length }, (_, at) => ({ number: at, told: "x".repeat(20) })), undone: [] });
          const lengths = [];
          for (const length of [3, 12, 60]) {
            store.save({ record: { text: "" }, panels: {}, history: history(length), title: "t" });
            lengths.push(store.load().history.done.length);
          }
          room.limit = 10;
          try { store.save({ record: {}, panels: {}, history: history(3), title: "u" }); } catch (error) { lengths.push(error.message); }
          lengths.push(store.load().history.done.length);
          room.values.set("rhetree.work.broken", "no JSON");
          lengths.push(store.list().length);
          return lengths;
        }"""
    )
    assert kept == [3, 12, 10, "full", 10, 1]


def test_json_and_rs3_read_back_what_was_corrected(page):
    parse(page, f"{BRIDGE} It rained. {BRIDGE}")
    choose(page, 0, 4)
    for key in ("n", ",", "j"):
        page.keyboard.press(key)
    record = json.loads(saved_as(page, "json"))
    document = Document.from_dict(record)
    before = fake_parser().parse(f"{BRIDGE} It rained. {BRIDGE}")
    assert [[*split] for split in record["sentences"][0]["splits"]] == tree(page)
    assert [[edu.start, edu.end] for edu in document.edus] == edus(page)
    # Sentences that nobody touched have all that they had.
    assert document.sentence_trees[1:] == before.sentence_trees[1:]
    assert document.readings[2][0].label_probs
    assert not document.readings[0]
    (again,) = FORMATS["rs3"].read(io.StringIO(saved_as(page, "rs3").decode()), Path("a.rs3"))
    assert [again.text_of(edu) for edu in again.edus] == [" ".join(text.split()) for text in spaced(document)]
    page.evaluate("(record) => window.rhetree.start(record, 'again')", record)
    assert json.loads(saved_as(page, "json")) == record


@pytest.mark.parametrize("format", ["rs3", "rs4", "dis", "json"])
def test_a_corrected_sentence_is_opened_again_as_it_was_saved(page, tmp_path, format):
    parse(page, BRIDGE)
    choose(page, 0, 4)
    for key in ("n", ".", "j"):
        page.keyboard.press(key)
    before, texts = tree(page), page.locator(".words .edu").all_text_contents()
    (tmp_path / f"a.{format}").write_bytes(saved_as(page, format))
    open_file(page, tmp_path / f"a.{format}")
    assert tree(page) == before
    squeezed = [text.replace(" ", "") for text in page.locator(".words .edu").all_text_contents()]
    assert squeezed == [text.replace(" ", "") for text in texts]


def spaced(document):
    """The texts of EDUs as rs3 has them: tokens with spaces."""
    return [" ".join(document.forms_of(edu)) for edu in document.edus]


def test_a_documents_tree_is_corrected_with_what_stands_beside_it(page):
    fable = drawn_nary()
    show(page, fable)
    whole = json.loads(saved_as(page, "json"))
    assert Document.from_dict(whole) == fable
    choose(page, 7, 8)
    page.click("#join-before")
    document = Document.from_dict(json.loads(saved_as(page, "json")))
    assert len(document.edus) == 7
    assert document.nary is None
    assert document.secondary_edges == fable.secondary_edges
    assert len(document.signals) == 1  # that of the EDU that is gone went with it
