"""Parsing the rest of a sentence again: what a person decided stays, as constraints of the parser."""

from support.browsing import BRIDGE, parse


def state(page, panel=0):
    return page.evaluate(
        """(panel) => {
          const { edus, splits, tokens } = window.rhetree.document.panels[panel];
          return { edus, splits: splits.map(({ start, split, end, nuclearity, relation }) => [start, split, end, nuclearity, relation]), tokens };
        }""",
        panel,
    )


def choose(page, number, start, end):
    page.evaluate(
        "([number, start, end]) => window.rhetree.choose({ number, start, end }, true)", [number, start, end]
    )


def again(page):
    page.click("#again")
    page.wait_for_function("() => /Parsed|keep all/.test(document.getElementById('status').textContent)")


def test_the_rest_is_parsed_again_under_the_corrections(page):
    parse(page, f"It rained. {BRIDGE}")
    before = state(page, 1)
    first = before["tokens"][0]
    assert [len(before["edus"]), first] == [4, 3]
    # The first two EDUs are one, and the whole is split before the last one, whatever the model thinks.
    choose(page, 1, 0, 1)
    page.keyboard.press("j")
    choose(page, 1, 0, 3)
    while state(page, 1)["splits"][0][1] != 2:
        page.keyboard.press(".")
    page.select_option("#relation", "elaboration")
    page.click("#order-NS")
    decided = state(page, 1)
    again(page)
    after = state(page, 1)
    assert after["tokens"] == before["tokens"]
    assert before["edus"][1][0] not in [start for start, _ in after["edus"]]
    starts = [start for start, _ in after["edus"]]
    top = after["splits"][0]
    assert [starts[top[1]], *top[3:]] == [decided["edus"][2][0], "NS", "elaboration"]
    assert page.locator("#status").inner_text() == "Parsed the rest again; what you decided stayed."
    page.click("#undo")
    assert state(page, 1) == decided
    assert state(page, 0)["splits"] == []


def test_a_new_edu_stays_and_an_unknown_label_too(page):
    parse(page, BRIDGE)
    choose(page, 0, 1, 2)
    page.click("#gap-9")
    n_edus = len(state(page)["edus"])
    page.evaluate("() => window.rhetree.editor.setLabel({ relation: 'unheard-of' })")
    again(page)
    after = state(page)
    assert 9 in [start for start, _ in after["edus"]]
    assert "unheard-of" in [split[4] for split in after["splits"]]
    assert len(after["edus"]) >= n_edus - 3


def test_without_corrections_the_reading_is_the_same(page):
    parse(page, BRIDGE)
    before = state(page)
    choose(page, 0, 0, 4)
    again(page)
    assert state(page) == before
    assert page.locator("#status").inner_text() == "Parsed the sentence again."


def test_the_tree_of_a_document_is_not_parsed_again(page):
    from support.browsing import show
    from support.drawn_documents import treasury

    show(page, treasury())
    choose(page, 0, 0, 4)
    assert page.locator("#again").count() == 0
    page.keyboard.press("a")
    assert "Only trees of sentences are parsed again" in page.locator("#status.error").inner_text()
