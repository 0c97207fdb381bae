"""Measures the page of ``rhetree serve`` in Chromium: how soon a parsed text is on the screen, and how it scrolls.

    python benchmarks/page.py [--turns 5] [--into docs/results.md]
    python benchmarks/page.py --tables [--into docs/results.md]

- first sight: from the moment the answer of the parser is there until the frame that shows it, for 100 and 2,000
  sentences (the 100 twenty times); and for 100 sentences until every one has its diagram, also those below the window.
- scrolling: 2,000 sentences, 100 pixels in each frame (6,000 pixels a second) from top to bottom of the first 60,000
  pixels, then jumps to 20 far places, each turn in a page that was just opened. First the time between frames as a user
  sees it. Then, in another page, under the browser's tracer, which slows frames: the work of a frame is all that the main
  thread does for it (script, style, layout and painting commands), in processor time, since other processes of a busy
  machine do not count.

Numbers go to benchmarks/results/page.json; ``--into`` writes the tables into a page, between the lines ``<!-- page -->``
and ``<!-- /page -->``. Needs playwright (extra ``dev``) and Chromium.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from pages import put
from serve import SENTENCES, service
from speed_timing import versions

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "page.json"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
SHOWN, MANY = 100, 2_000
"""Sentences of the text that has to be there at once, and of the one that is scrolled through."""

FIRST_SIGHT = """async ([record, all]) => {
  const app = window.rhetree;
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  const start = performance.now();
  app.start(record, "benchmark");
  await painted();
  const first = performance.now() - start;
  if (!all) return { first };
  for (const row of app.list.rows) { app.list.section(row); app.list.attachUpTo(row.views[0]); }
  for (const row of app.list.rows) for (const view of row.views) app.list.drawView(view);
  await painted();
  return { first, all: performance.now() - start };
}"""
SCROLL = """async () => {
  const frames = { scrolling: [], jumping: [] };
  const next = () => new Promise((done) => requestAnimationFrame(done));
  let before = await next();
  const frame = async (kind, to) => {
    window.scrollTo(0, to);
    const now = await next();
    frames[kind].push(now - before);
    before = now;
  };
  for (let at = 0; at < 600; at += 1) await frame("scrolling", at * 100);
  const end = document.documentElement.scrollHeight;
  for (let at = 0; at < 20; at += 1) for (let wait = 0; wait < 10; wait += 1) {
    await frame("jumping", (((at * 7) % 20) / 20) * end + wait);
  }
  return frames;
}"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", action="store_true", help="measure nothing, print earlier results")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="also write the tables into this page")
    parser.add_argument("--turns", type=int, default=5)
    args = parser.parse_args()
    if not args.tables:
        RESULTS.write_text(json.dumps(measure(args.turns), indent=1) + "\n", encoding="utf-8")
    text = "".join(f"{line}\n" for line in tables(json.loads(RESULTS.read_text(encoding="utf-8"))))
    print(text)
    if args.into:
        put(text, args.into, "page")


def measure(turns: int) -> dict:
    path = os.environ.get("RHETREE_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit("no Chromium on the path; RHETREE_BROWSER names one")
    with (
        service([]) as (_, port),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(600_000)

        def opened() -> Page:
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{port}/")
            page.evaluate("() => window.rhetree.ready")
            return page

        page = opened()
        shown = parsed(page, SHOWN)
        records = {SHOWN: shown, MANY: repeated(shown, MANY // SHOWN)}
        found = {
            "machine": {"cores": os.cpu_count(), "system": platform.platform(), "browser": browser.version},
            "versions": versions(("rhetree", "playwright")),
            "sights": {
                str(size): [
                    page.evaluate(FIRST_SIGHT, [record, size == SHOWN])
                    for _ in range(turns + 1)  # the first one does not count: the script is not compiled yet
                ][1:]
                for size, record in records.items()
            },
            "diagrams": {
                str(size): sum(len(sentence["edus"]) > 1 for sentence in record["sentences"])
                for size, record in records.items()
            },
            "load": os.getloadavg()[0],
        }
        page.close()
        found["scrolls"] = [scroll(browser, opened, records[MANY]) for _ in range(turns)]
        browser.close()
    return found


def parsed(page: Page, n_sentences: int) -> dict:
    text = " ".join(islice(cycle(SENTENCES), n_sentences))
    return page.evaluate("async (text) => (await import('/js/service.js')).parse(text)", text)


def repeated(record: dict, times: int) -> dict:
    """The same sentences several times: the page has to show them, not the parser to find them."""
    text = record["text"] + " "
    sentences = [
        {**sentence, "offsets": [[at + number * len(text) for at in pair] for pair in sentence["offsets"]]}
        for number in range(times)
        for sentence in record["sentences"]
    ]
    return {**record, "text": text * times, "sentences": sentences}


def scroll(browser: Browser, opened: Callable[[], Page], record: dict) -> dict:
    """Milliseconds between frames, and of processor time of each task of the main thread."""
    with closing(shown_in(opened(), record)) as page:
        frames = page.evaluate(SCROLL)
    with tempfile.TemporaryDirectory() as folder, closing(shown_in(opened(), record)) as page:
        trace = Path(folder) / "trace.json"
        browser.start_tracing(
            page=page, path=trace, categories=["toplevel", "devtools.timeline", "__metadata"]
        )
        page.evaluate(SCROLL)
        browser.stop_tracing()
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    (main_thread,) = {
        (event["pid"], event["tid"])
        for event in events
        if event.get("name") == "thread_name"
        and event["args"]["name"] == "CrRendererMain"
        and any(
            other.get("name") == "FireAnimationFrame" and other["pid"] == event["pid"] for other in events
        )
    }
    tasks = [
        event["tdur"] / 1000
        for event in events
        if event.get("name", "").endswith("RunTask")
        and (event["pid"], event["tid"]) == main_thread
        and "tdur" in event
    ]
    # Of tasks only those that are work: between two frames there are hundreds of empty ones.
    return {kind: spread(times) for kind, times in frames.items()} | {
        "tasks": spread([task for task in tasks if task >= 1])
    }


def shown_in(page: Page, record: dict) -> Page:
    page.evaluate(FIRST_SIGHT, [record, False])
    page.wait_for_function(f"() => document.querySelectorAll('section.row').length >= {MANY}")
    return page


def spread(times: list[float]) -> dict:
    times = sorted(times)
    shares = {"median": 0.5, "most": 0.99, "longest": 1.0}
    return {"number": len(times)} | {
        name: round(times[int(share * (len(times) - 1))], 2) for name, share in shares.items()
    }


def tables(record: dict) -> Iterator[str]:
    machine = record["machine"]
    yield f"Chromium {machine['browser']}, {machine['cores']} cores, load {record['load']:.0f}, medians of {len(record['scrolls'])} turns."
    yield ""
    yield "| sentences | with a diagram | on the screen after | all diagrams drawn after |"
    yield "| ---: | ---: | ---: | ---: |"
    for size, turns in record["sights"].items():
        first = statistics.median(turn["first"] for turn in turns)
        drawn = [turn["all"] for turn in turns if "all" in turn]
        whole = f"{statistics.median(drawn):.0f} ms" if drawn else "as they come into view"
        yield f"| {int(size):,} | {record['diagrams'][size]:,} | {first:.0f} ms | {whole} |"
    yield ""
    yield f"| scrolling {MANY:,} sentences | median | 99 % | longest of all turns |"
    yield "| --- | ---: | ---: | ---: |"
    names = {
        "scrolling": "between two frames, scrolling",
        "jumping": "between two frames, after jumps",
        "tasks": "work of the main thread in both, processor time",
    }
    for key, name in names.items():
        turns = [turn[key] for turn in record["scrolls"]]
        middle, high = (statistics.median(turn[share] for turn in turns) for share in ("median", "most"))
        yield f"| {name} | {middle:.1f} ms | {high:.1f} ms | {max(turn['longest'] for turn in turns):.1f} ms |"


if __name__ == "__main__":
    main()
