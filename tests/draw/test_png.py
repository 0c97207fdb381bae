import struct
import sys

import pytest

from rhetree.draw import png, svg
from rhetree.draw.panel import document_panels
from rhetree.errors import MissingExtraError, RhetreeError
from support.drawn_documents import right_branching, treasury


@pytest.fixture
def resvg():
    return pytest.importorskip("resvg_py", reason="needs the extra png")


def picture(document, **options):
    return svg.draw_panels(document_panels(document), **options)


def test_a_png_has_the_size_of_its_svg_times_the_scale(resvg):
    if not png.has_fonts():
        pytest.skip("this machine has no fonts")
    found = png.to_png(picture(treasury()), scale=3)
    assert found.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", found[16:24])
    source = picture(treasury())
    assert f'viewBox="0 0 {width / 3:.1f}'[:14] == source[source.index("viewBox") :][:14]
    assert width > height


def test_words_leave_traces(resvg):
    if not png.has_fonts():
        pytest.skip("this machine has no fonts")
    source = picture(treasury())
    assert png.to_png(source) != png.to_png(source.replace("tomorrow", "        "))


def test_a_machine_without_fonts_is_told_so(resvg, monkeypatch):
    draw = resvg.svg_to_bytes
    monkeypatch.setattr(resvg, "svg_to_bytes", lambda **options: draw(**options, skip_system_fonts=True))
    png.has_fonts.cache_clear()
    try:
        with pytest.raises(RhetreeError, match="finds no font on this machine"):
            png.to_png(picture(treasury()))
    finally:
        png.has_fonts.cache_clear()


def size_of(found):
    return struct.unpack(">II", found[16:24])


def test_a_picture_too_large_is_drawn_at_a_smaller_scale(resvg, monkeypatch, caplog):
    if not png.has_fonts():
        pytest.skip("this machine has no fonts")
    source = picture(treasury())
    width, height = size_of(png.to_png(source, scale=3))
    monkeypatch.setattr(png, "LARGEST", width * height // 2)
    smaller_width, smaller_height = size_of(png.to_png(source, scale=3))
    assert width * height * 0.48 < smaller_width * smaller_height <= width * height / 2
    assert smaller_width / smaller_height == pytest.approx(width / height, rel=0.01)
    assert "the PNG is drawn at scale 2.12 instead of 3" in caplog.text


def test_a_picture_that_no_scale_makes_legible_is_refused_before_it_is_drawn(resvg):
    with pytest.raises(RhetreeError, match="million pixels, and would not be legible .* draw one sentence"):
        png.to_png(picture(right_branching(600), width=0), scale=4)


def test_without_the_extra_the_line_that_installs_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingExtraError, match=r"drawing PNG .* pip install 'rhetree\[png\]'"):
        png.to_png(picture(treasury()))


def test_what_is_no_picture_of_ours_is_a_programmers_mistake(resvg):
    with pytest.raises(ValueError, match="no viewBox"):
        png.to_png("<svg/>")
