"""Looking at trees on the page: words and diagrams, pointing, folding, probabilities, fading, keys."""

from urllib.parse import quote

import pytest

from support.browsing import BRIDGE, parse, show, visiting
from support.drawn_documents import hostile, treasury
from support.fake_model import fake_parser
from support.serving import TEXT

FOCUSED = "() => document.activeElement.getAttribute('aria-label')"


def edus(page, kind=""):
    return [edu.strip() for edu in page.locator(f".words .edu{kind}").all_inner_texts()]


def units(page, kind=""):
    """The spans of units in diagrams, such as 0-2."""
    return page.evaluate(
        "(kind) => [...document.querySelectorAll(`.unit${kind}`)].map((unit) => `${unit.dataset.start}-${unit.dataset.end}`)",
        kind,
    )


def test_a_text_is_shown_with_its_edus_and_trees(page):
    parse(page, TEXT)
    assert " ".join(edus(page)) == " ".join(TEXT.split())
    assert page.locator("section.row").count() == 3
    assert page.locator("[role=tree]").count() == page.locator(".diagram:not([hidden])").count() >= 1
    assert page.locator("#counts").inner_text().endswith("3 sentences")
    assert not page.locator("#entry").is_visible()


def test_a_text_comes_with_the_address_and_goes_into_it(browser, site):
    with visiting(browser, site, f"#text={quote(TEXT)}") as page:
        page.wait_for_selector("section.row")
        assert " ".join(edus(page)) == " ".join(TEXT.split())
        page.click("#write")
        page.fill("#text", "It rained & we stayed #1.")
        page.evaluate("() => document.getElementById('link').click()")
        page.wait_for_function("() => location.hash.includes('stayed')")
        page.reload()
        page.wait_for_function("() => document.querySelector('.words')?.textContent.includes('#1')")


def test_an_example_is_parsed_when_it_is_chosen(page):
    page.select_option("#examples", label="A storm")
    page.wait_for_selector("section.row")
    assert edus(page)[0].startswith("The")


def test_no_text_and_no_service_are_told(browser, site, page):
    page.click("#parse")
    assert page.locator("#status.error").inner_text() == "There is no text to parse."
    page.route("**/v1/parse", lambda route: route.abort())
    page.fill("#text", "It rained.")
    page.click("#parse")
    page.wait_for_function("() => document.getElementById('status').textContent.includes('does not answer')")
    page.faults.clear()  # the browser itself notes that a request failed


def test_pointing_lights_up_words_and_units_together(page):
    show(page, treasury())
    page.locator(".words .edu").nth(2).hover()
    assert units(page, ".lit") == ["2-3"]
    assert edus(page, ".lit") == ["if postmarked no later than Sunday, Oct. 29,"]
    page.locator(".link text", has_text="Temporal").hover()
    assert units(page, ".lit") == ["2-4", "2-3", "3-4"]
    assert len(edus(page, ".lit")) == 2
    page.mouse.move(5, 5)
    assert units(page, ".lit") == []


def test_a_click_on_a_bar_folds_and_unfolds(page):
    show(page, treasury())
    everything = units(page)
    number = page.locator('.unit[data-start="2"][data-end="4"] .number')
    number.click()
    assert units(page) == ["0-4", "0-2", "0-1", "1-2", "2-4"]
    folded = page.locator('.unit[data-start="2"][data-end="4"]')
    assert folded.get_attribute("aria-expanded") == "false"
    folded.locator("text").first.click()
    assert units(page) == everything


def test_keys_go_through_the_tree_and_fold(page):
    show(page, treasury())
    page.focus("#level")
    page.keyboard.press("Tab")
    walk = []
    for key in (
        "ArrowDown",
        "ArrowDown",
        "ArrowLeft",
        "ArrowLeft",
        "ArrowDown",
        "ArrowRight",
        "ArrowRight",
        "End",
        "Home",
    ):
        page.keyboard.press(key)
        walk.append(
            page.evaluate(
                "() => { const { start, end } = document.activeElement.dataset; return `${start}-${end}`; }"
            )
        )
    assert walk == ["0-2", "0-1", "0-2", "0-2", "2-4", "2-3", "2-3", "3-4", "0-4"]
    assert units(page) == ["0-4", "0-2", "2-4", "2-3", "3-4"]
    assert page.locator('[role=treeitem][tabindex="0"]').count() == 1
    page.keyboard.press("Space")
    assert units(page) == ["0-4"]


def test_tab_leads_into_the_trees_and_out_again(page):
    show(page, treasury())
    page.focus("#level")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED).startswith("whole, EDUs 1 to 4")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.closest('#editor') !== null")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(FOCUSED).startswith("whole, EDUs 1 to 4")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("() => document.activeElement.id") == "level"
    page.focus(".skip")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.getAttribute('role') === 'treeitem'")


def test_readers_of_the_screen_are_told_the_structure(page):
    show(page, treasury())
    tree = page.locator("[role=tree]")
    assert tree.get_attribute("aria-label") == "Tree of the document"
    items = page.evaluate(
        """() => [...document.querySelectorAll("[role=treeitem]")].map((item) =>
          [item.ariaLevel, item.ariaPosInSet, item.ariaSetSize, item.getAttribute("aria-label")].join(" "))"""
    )
    assert items[0] == "1 1 1 whole, EDUs 1 to 4; divided by Condition (nucleus, satellite)"
    assert "2 2 2 satellite, Condition, EDUs 3 to 4; divided by Temporal (two nuclei)" in items
    assert "3 1 2 satellite, Attribution, EDU 1: The Treasury also said" in items
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, textarea, summary")].filter((one) =>
          !(one.textContent.trim() || one.ariaLabel || one.title || one.labels?.length || one.hidden)).map((one) => one.id)"""
    )
    assert unnamed == []


def test_probabilities_show_on_demand_and_the_unsure_at_once(page):
    record = fake_parser().parse(f"{BRIDGE} {BRIDGE}").to_dict()
    record["sentences"][1]["probabilities"]["labels"][1] = [["elaboration-NS", 0.55], ["joint-NN", 0.4]]
    show(page, record)
    unsure = page.locator(".link.unsure")
    assert unsure.count() == int(page.locator("#n-unsure").inner_text()) == 1
    assert unsure.first.locator(".relation").text_content().endswith("?")
    assert "%" not in "".join(page.locator(".link text").all_text_contents())
    page.click("#probs")
    assert all("%" in label for label in page.locator(".link text").all_text_contents())
    page.click("#unsure")
    assert "unsure" in page.evaluate(FOCUSED)
    assert page.locator("#status").inner_text().startswith("Unsure label 1 of 1")
    assert page.locator("#editor").inner_text().count("%") >= 3


def test_satellites_fade_until_only_nuclei_are_left(page):
    show(page, treasury())
    assert edus(page, ".faded") == []
    page.fill("#level", "0")
    assert edus(page, ".faded") == [
        "The Treasury also said",
        "if postmarked no later than Sunday, Oct. 29,",
        "and received no later than tomorrow.",
    ]
    assert sorted(units(page, ".faded")) == ["0-1", "2-3", "2-4", "3-4"]
    assert page.locator("#level-told").inner_text() == "only nuclei"
    page.fill("#level", "4")
    assert units(page, ".faded") == []


def test_colours_follow_the_system_and_the_choice(browser, site):
    paper = "() => getComputedStyle(document.body).backgroundColor"
    with visiting(browser, site, color_scheme="dark") as page:
        assert page.evaluate(paper) == "rgb(21, 24, 29)"
        page.click("#more > summary")
        page.select_option("#theme", "light")
        assert page.evaluate(paper) == "rgb(255, 255, 255)"
        page.reload()
        assert page.evaluate(paper) == "rgb(255, 255, 255)"


def test_a_phone_shows_all_of_it_without_scrolling_sideways(browser, site):
    with visiting(browser, site, viewport={"width": 360, "height": 700}) as page:
        parse(page, TEXT)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        page.locator(".link .relation").first.click()
        assert page.locator("#editor").is_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_no_text_becomes_markup(page):
    show(page, hostile())
    assert page.locator(".words script, .diagram script, .words b").count() == 0
    assert "<script>" in page.locator(".words").first.inner_text()


@pytest.mark.parametrize("key", ["wrong-key", "right-key"])
def test_a_service_with_a_key_asks_for_it(browser, key):
    from support.serving import on_a_port

    with on_a_port(api_key="right-key") as (port, _):
        with visiting(browser, f"http://127.0.0.1:{port}") as page:
            assert page.locator("#key").is_visible()
            page.fill("#key-value", key)
            page.keyboard.press("Enter")
            if key == "right-key":
                page.wait_for_function("() => window.rhetree.labels.length > 0")
                parse(page, TEXT)
                assert page.locator("section.row").count() == 3
            else:
                page.wait_for_selector("#key:not([hidden])")
            page.faults.clear()  # the browser itself notes each 401


def test_sentences_are_drawn_as_they_come_into_view(page):
    parse(page, f"{BRIDGE} " * 400)
    page.wait_for_function("() => document.querySelectorAll('section.row').length === 400")
    drawn = page.locator("svg.rst").count()
    assert 1 <= drawn < 60
    page.evaluate("() => window.scrollTo(0, document.body.scrollHeight)")
    page.wait_for_function(
        "() => { const rows = document.querySelectorAll('section.row'); return rows[rows.length - 1].querySelector('svg'); }"
    )
    assert page.locator("svg.rst").count() < 60
    assert page.locator("section.row").first.locator("svg").count() == 0
