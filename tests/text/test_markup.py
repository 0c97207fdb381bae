"""Markdown and HTML: what is read, and where it is in the file."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rhetree.domain.document import Document
from rhetree.domain.markup import Markup, ShownText
from rhetree.text import tokenize
from rhetree.text.html import html_layout
from rhetree.text.markdown import markdown_layout

FINDERS = {"md": markdown_layout, "html": html_layout}


def marked_up(kind, text):
    layout = FINDERS[kind](text)
    return tokenize(text, "", layout.markup, layout.blocks)


def sentences(kind, text):
    document = marked_up(kind, text)
    return [document.text_of(sentence) for sentence in document.sentences]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A title #\nIt rained.", ["A title", "It rained."]),
        ("A title\n===\nIt rained\nand rained.", ["A title", "It rained\nand rained."]),
        ("- one\n- two\n\n  three\n1. four", ["one", "two", "three", "four"]),
        ("> It *rained\n> and* rained.", ["It rained\nand rained."]),
        ("It **rained**, __he__ *said* ~~so~~.", ["It rained, he said so."]),
        ("un**believ**able 2 * 3 a_b_c **no", ["unbelievable 2 * 3 a_b_c **no"]),
        ("[he said](http://x.y/said 'said') so [b]\n\n[b]: http://b", ["he said so b"]),
        ("![a picture](a.png) <http://a.b> `f(*x*)`", ["http://a.b f(*x*)"]),
        ("AT&amp;T &eacute;t&#233; \\*left\\* \\a &nope;", ["AT&T été *left* \\a &nope;"]),
        ("| a | b\\|c |\n|---|---|\n| d **e** | |", ["a", "b|c", "d e"]),
        ("One<br>two <b>three</b> <!-- no -->four", ["One\ntwo three four"]),
        ("<div>\n<p>It &lt; rained</p>\n\n</div>\n\nGood", ["It < rained", "Good"]),
        ("One\n\n    code\n\n```\ncode\n```\nTwo", ["One", "Two"]),
        ("---\ntitle: no\n---\nYes", ["Yes"]),
        ("One\r\ntwo\r\n\r\n* three\r\n  four", ["One\r\ntwo", "three\r\nfour"]),
        ("", []),
        ("***", []),
    ],
)
def test_markdown_is_read_without_its_markup(text, expected):
    assert sentences("md", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<h1>A <i>title</i></h1><p>It rained.", ["A title", "It rained."]),
        ("<ul><li>one<li>two</ul>three", ["one", "two", "three"]),
        ("<p>It rained\n\n and <!-- no -->\n\nrained.</p>", ["It rained and  rained."]),
        ("One<br>two<br/><BR>three", ["One\ntwo", "three"]),
        (
            "un<b>believ</b>able &amp; AT&amp;T &eacute;t&#xe9; &nope; 3 < 4",
            ["unbelievable & AT&T été &nope; 3 < 4"],
        ),
        ("<table><tr><td>a<td>b</table>", ["a", "b"]),
        ("One<script>if (a<b) x('</p>')</script> <style>p {}</style>two", ["One two"]),
        ("<title>no</title>One<pre>no <b>no</b></pre>two <code>three</code>", ["One", "two three"]),
        ("<svg><svg>no</svg>no</svg>yes", ["yes"]),
        ("<p>One</p><pre>no", ["One"]),
        ("a <", ["a <"]),
        ("<![if IE]>One<![endif]> <![foo[ no ]]>two", ["One two"]),
        ("", []),
    ],
)
def test_html_is_read_without_its_markup(text, expected):
    assert sentences("html", text) == expected


def test_offsets_are_those_of_the_file_and_markup_is_in_no_token_but_inside_a_word():
    text = "# A *big* storm\n\nun**believ**able &amp; wet.\n"
    document = marked_up("md", text)
    assert document.text == text
    at = {token.form: text[token.start : token.end] for token in document.tokens}
    assert at == {
        "A": "A",
        "big": "big",
        "storm": "storm",
        "unbelievable": "un**believ**able",
        "&": "&amp;",
        "wet": "wet",
        ".": ".",
    }


@pytest.mark.parametrize("kind", FINDERS)
def test_a_text_without_markup_has_none(kind):
    text = "It rained." if kind == "html" else "It rained.\n\nWe\nleft."
    assert FINDERS[kind](text).markup == ()


PARTS = [
    *"abcAB \n\r\t*_`~[]()<>#&;|\\!-+.:\"'=1\u00e9\x00\x0b\u2028",
    *(
        "**",
        "\n\n",
        "\n> ",
        "\n- ",
        "\n    ",
        "\n```\n",
        "<b>",
        "</b>",
        "<p>",
        "<br>",
        "<pre>",
        "</pre>",
        "&amp;",
    ),
    *(
        "<!--",
        "-->",
        "<script>",
        "</script>",
        "](u)",
        "| a |\n|---|\n",
        "---\n",
        "<![CDATA[",
        "]]>",
        "<?",
        "<div>\n",
    ),
]


@pytest.mark.parametrize("kind", FINDERS)
@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join))
def test_any_text_is_read_and_its_tokens_come_back_without_markup(kind, text):
    document = marked_up(kind, text)
    shown = ShownText(text, document.markup)
    plain = document.without_markup()
    assert plain.text == shown.text
    assert plain.tokens == tokenize(shown.text).tokens
    assert Document.from_dict(document.to_dict()) == document


@given(
    st.lists(st.sampled_from([*PARTS[:36], "**", "\n\n", "\n> ", "\n- ", "](u)", "&amp;"]), max_size=30).map(
        "".join
    )
)
def test_markdown_reads_like_the_page_that_it_makes(text):
    # Blocks of HTML and the rest that is read in another way are left to the examples above.
    text = re.sub(r"[<\x00\x0b\u2028]|^---", "", text)
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    page = re.sub(r"<pre>.*?</pre>|<img[^>]*>|<[^>]*>", " ", page, flags=re.S)
    shown = ShownText(text, markdown_layout(text).markup).text
    assert re.findall(r"\w", shown) == re.findall(r"\w", unescape(page))


@given(st.text("ab*& \n", max_size=30), st.data())
def test_offsets_go_there_and_back(text, data):
    edges = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pairs = zip(edges[::2], edges[1::2], strict=False)
    markup = [Markup(start, end, data.draw(st.sampled_from(["", " ", "&", "xy"]))) for start, end in pairs]
    shown = ShownText(text, markup)
    for start in range(len(shown.text)):
        for end in range(start + 1, len(shown.text) + 1):
            source = shown.to_source(start, end)
            found = shown.from_source(*source)
            assert found[0] <= start < end <= found[1]
            if "xy" not in [one.shown for one in markup]:
                assert found == (start, end)


def test_markup_is_checked():
    with pytest.raises(ValueError, match="0 <= start < end, got 2..2"):
        Markup(2, 2)
    with pytest.raises(ValueError, match=r"markup at 1..3 should lie within 2..4"):
        Document(text="abcd", markup=(Markup(0, 2), Markup(1, 3)))
    with pytest.raises(ValueError, match=r"markup\[0\]: expected a whole number, found 'a'"):
        Document.from_dict({"id": "", "text": "abcd", "markup": [["a", 3, ""]]})
