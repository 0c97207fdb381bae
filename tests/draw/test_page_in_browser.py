"""The page in a real browser: it folds, highlights, loads nothing, and has no error."""

from dataclasses import replace

import pytest

from rhetree.domain.tree import Split, Tree
from rhetree.draw import html
from rhetree.draw.difference import compare
from rhetree.draw.panel import document_panels
from rhetree.text import tokenize
from support.drawn_documents import drawn_nary, hostile, right_branching, treasury, treasury_as_parsed
from support.flood import flood


def page(document):
    return html.draw_panels(document_panels(document), title=document.name)


def test_a_subtree_folds_by_click_and_by_key(visit):
    report = visit(
        page(treasury()),
        """
        report.all = shown();
        rows[1].querySelector(".fold").click();
        report.clicked = shown();
        report.expanded = rows[1].getAttribute("aria-expanded");
        press(rows[1], "ArrowRight");
        report.opened = shown();
        press(rows[0], "ArrowLeft");
        report.folded = shown();
        press(rows[0], " ");
        report.again = shown();
        """,
    )
    assert report == {"all": 7, "clicked": 5, "expanded": "false", "opened": 7, "folded": 1, "again": 7}


def test_the_path_of_an_edu_is_highlighted_on_hover_focus_and_click(visit):
    report = visit(
        page(treasury()),
        """
        const lit = () => rows.map((row, at) => (row.matches(".path, .here") ? at : -1)).filter((at) => at >= 0);
        rows[3].dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
        report.hover = lit();
        report.path = document.getElementById("path").textContent;
        focusOn(rows[6]);
        report.focus = lit();
        rows[2].click();
        rows[6].dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
        report.pinned = lit();
        press(rows[2], "Escape");
        report.after = lit();
        """,
    )
    assert report["hover"] == [0, 1, 3]
    assert report["path"] == "Condition 1–4 › nucleus Attribution 1–2 › nucleus 2"
    assert report["focus"] == [0, 4, 6]
    assert report["pinned"] == [0, 1, 2]
    assert report["after"] == []


def test_arrow_keys_walk_over_what_is_shown(visit):
    report = visit(
        page(treasury()),
        """
        const at = () => rows.indexOf(document.activeElement);
        const walk = (keys) => keys.map((key) => { press(document.activeElement, key); return at(); });
        focusOn(rows[0]);
        report.walk = walk(["ArrowDown", "ArrowLeft", "ArrowDown", "ArrowRight", "End", "ArrowLeft", "ArrowLeft", "ArrowUp", "Home"]);
        report.stops = rows.filter((row) => row.tabIndex === 0).length;
        """,
    )
    assert report == {"walk": [1, 1, 4, 5, 6, 4, 4, 1, 0], "stops": 1}


def test_levels_fold_everything_below_and_themes_change_the_colours(visit):
    report = visit(
        page(right_branching(40)),
        """
        const levels = document.getElementById("levels");
        levels.value = 3;
        levels.dispatchEvent(new Event("input"));
        report.shown = shown();
        const theme = document.getElementById("theme");
        const paper = () => getComputedStyle(document.body).backgroundColor;
        report.papers = ["light", "dark"].map((name) => {
          theme.value = name;
          theme.dispatchEvent(new Event("change"));
          return paper();
        });
        report.badge = getComputedStyle(document.querySelector(".role.n")).backgroundColor;
        """,
    )
    papers = ["rgb(255, 255, 255)", "rgb(21, 24, 29)"]
    assert report == {"shown": 5, "papers": papers, "badge": "rgb(184, 192, 202)"}


def test_sides_of_a_comparison_fold_and_light_up_together(visit):
    pairs = compare(treasury(), treasury_as_parsed())
    report = visit(
        html.draw_pairs(pairs, titles=("gold", "predicted"), title="treasury"),
        """
        const top = (text) => rows.filter((row) => row.textContent.includes(text)).map((row) => Math.round(row.getBoundingClientRect().top));
        report.level = new Set(top("also said")).size;
        focusOn(rows.find((row) => row.textContent.includes("also said")));
        report.lit = document.querySelectorAll(".here").length;
        press(rows[0], "ArrowLeft");
        report.shown = shown();
        """,
    )
    assert report == {"level": 1, "lit": 2, "shown": 2}


def test_a_button_and_a_key_go_from_difference_to_difference(visit):
    pairs = compare(treasury(), treasury_as_parsed())
    report = visit(
        html.draw_pairs(pairs, titles=("gold", "predicted"), title="treasury"),
        """
        const at = () => document.activeElement.dataset.tokens + "/" + trees.indexOf(home.get(document.activeElement).tree);
        const status = () => document.getElementById("path").textContent;
        setFolded(rows[0], true);
        document.getElementById("next").click();
        report.first = [at(), status()];
        report.walk = [];
        for (let number = 0; number < 5; number += 1) { press(document.activeElement, "n"); report.walk.push(at()); }
        report.unfolded = document.activeElement.offsetParent !== null;
        report.shown = shown();
        press(document.activeElement, "N");
        report.back = at();
        document.getElementById("previous").click();
        report.before = [at(), status()];
        """,
    )
    assert report["first"] == ["0-24/0", "Difference 1 of 5: Condition 1–4"]
    assert report["walk"] == ["0-10/0", "4-24/1", "10-18/0", "18-24/0", "0-24/0"]
    assert report["unfolded"]
    assert report["shown"] == 12
    assert report["back"] == "18-24/0"
    assert report["before"] == [
        "10-18/0",
        "Difference 4 of 5: Condition 1–4 › satellite Temporal 3–4 › nucleus 3",
    ]


def test_analyses_that_agree_have_no_next_difference(visit):
    pairs = compare(treasury(), treasury())
    found = visit(
        html.draw_pairs(pairs, titles=("a", "b"), title="same"),
        """
        report.disabled = document.getElementById("next").disabled;
        press(rows[2], "n");
        report.at = rows.indexOf(document.activeElement);
        """,
    )
    assert found == {"disabled": True, "at": 2}


@pytest.mark.parametrize("document", [hostile(), drawn_nary()], ids=["hostile", "annotated"])
def test_no_text_runs_as_a_script(visit, document):
    assert visit(page(document), "report.scripts = document.querySelectorAll('script').length;") == {
        "scripts": 3
    }


def test_paragraphs_fold_to_a_line_each_and_a_long_text_starts_so(visit):
    script = """
        const gists = () => rows.filter((row) => row.querySelector(".gist") && getComputedStyle(row.querySelector(".gist")).display !== "none").length;
        const before = shown();
        document.getElementById("paragraphs").click();
        Object.assign(report, { before, after: shown(), gists: gists() });
        """
    assert visit(page(flood()), script) == {"before": 17, "after": 5, "gists": 2}
    n = 120
    text = "\n\n".join(["It rained. We left."] * (n // 2))
    document = tokenize(text, "long")
    tree = Tree.from_splits(
        [
            *(Split(at, at + 2, n, "NS", "joint") for at in range(0, n - 2, 2)),
            *(Split(at, at + 1, at + 2, "NS", "causal") for at in range(0, n, 2)),
        ]
    )
    report = visit(page(replace(document, edus=document.sentences, tree=tree)), script)
    assert report["before"] == n - 1
    assert report["after"] == 2 * n - 1
