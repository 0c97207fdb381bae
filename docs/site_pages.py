"""What the site generates from the code: public names, the commands, the HTTP routes, the settings and the notebooks.

All but the last are directives, such as ``{commands}``, that write Markdown for the page they stand on. A
notebook is a page of its own.
"""

import ast
import inspect
import json
import os
import re
import textwrap
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers.data import JsonLexer
from pygments.lexers.html import XmlLexer
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

HOME = Path(__file__).parent
MODELS = ("english", "english-fast", "english-document")
ELSEWHERE = {f"../src/rhetree/pretrained/{name}/MODEL_CARD.md": f"models/{name}.md" for name in MODELS}
"""Pages of the repository that the site shows under another name."""
LEXERS = {"rs3": XmlLexer, "jsonc": JsonLexer} | dict.fromkeys(
    ("brackets", "conllu", "dis", "edus", "rsd", "tok"), TextLexer
)


class _Generated(SphinxDirective):
    """Parses the Markdown that :meth:`lines` gives as a part of the page."""

    def lines(self) -> Iterator[str]:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        text = "\n".join(self.lines())
        return self.parse_text_to_nodes(text, allow_section_headings=True)


class Names(_Generated):
    """The public names that the page does not have above, so that none is ever missing."""

    def lines(self) -> Iterator[str]:
        import rhetree

        page = Path(self.env.doc2path(self.env.docname)).read_text(encoding="utf-8")
        told = set(re.findall(r"auto\w+:: rhetree\.(\w+)", page))
        missing = [name for name in dir(rhetree) if name not in told]
        if missing:
            yield from ("", "## More", "")
        for name in missing:
            value = getattr(rhetree, name)
            kind = "class" if isinstance(value, type) else "function" if callable(value) else "data"
            yield from _fenced("{eval-rst}", f".. auto{kind}:: rhetree.{name}")


class Commands(_Generated):
    """Every command with its options, from the parsers of the command line."""

    def lines(self) -> Iterator[str]:
        os.environ["COLUMNS"] = "80"
        from rhetree.cli.main import COMMANDS, make_parser

        parser = make_parser(whole=True)
        (commands,) = (action for action in parser._actions if hasattr(action, "choices") and action.choices)
        for name, summary in COMMANDS.items():
            command = commands.choices[name]
            yield from ("", f"## rhetree {name}", "", f"{summary[0].upper()}{summary[1:]}.", "")
            yield from ("```text", command.format_usage().strip(), "```", "")
            yield from _argument_tables(command, f"rhetree {name}")


def _argument_tables(command: Any, title: str) -> Iterator[str]:
    inner = [action for action in command._actions if isinstance(getattr(action, "choices", None), dict)]
    told = [action for action in command._actions if action not in inner and action.dest != "help"]
    if told:
        yield from ("| | |", "| --- | --- |")
    for action in told:
        shown = action.metavar or action.dest.upper()
        shown = shown if isinstance(shown, str) else " ".join(shown)
        names = ", ".join(action.option_strings) + ("" if action.nargs == 0 else f" {shown}")
        about = _plain((action.help or "") % {**vars(action), "prog": title})
        if action.choices:
            about += "; one of " + ", ".join(f"`{choice}`" for choice in action.choices)
        yield f"| `{_cell(names.strip())}` | {_cell(about)} |"
    yield ""
    for action in inner:
        for name, nested in action.choices.items():
            yield from ("", f"### {title} {name}", "", "```text", nested.format_usage().strip(), "```", "")
            yield from _argument_tables(nested, f"{title} {name}")


class Routes(_Generated):
    """Every route of the service with what it takes, from its OpenAPI."""

    def lines(self) -> Iterator[str]:
        import rhetree
        from rhetree.serve.app import make_app

        api = make_app(rhetree.load(threads=1)).openapi()
        schemas = api["components"]["schemas"]
        for path, methods in api["paths"].items():
            for method, route in methods.items():
                yield from ("", f"## {method.upper()} {path}", "", route.get("description", ""), "")
                body = route.get("requestBody")
                if body is not None:
                    name = body["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
                    yield from _schema_table(schemas[name])
                codes = ", ".join(f"`{code}`" for code in route["responses"])
                yield from ("", f"Answers: {codes}.", "")


def _schema_table(schema: dict[str, Any]) -> Iterator[str]:
    yield from ("| key | type | |", "| --- | --- | --- |")
    required = schema.get("required", ())
    for name, about in schema["properties"].items():
        told = about.get("description", "")
        if name in required:
            told = f"required. {told}"
        elif about.get("default") is not None:
            told += f" Default: `{json.dumps(about['default'])}`."
        yield f"| `{name}` | {_cell(_kind(about))} | {_cell(told)} |"
    yield ""


def _kind(about: dict[str, Any]) -> str:
    if "anyOf" in about:
        kinds = [_kind(one) for one in about["anyOf"] if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in about:
        return ", ".join(f"`{choice}`" for choice in about["enum"])
    if "$ref" in about:
        return about["$ref"].rpartition("/")[2].lower()
    if about.get("type") == "array":
        return f"list of {_kind(about.get('items', {}))}"
    return about.get("title", "").lower() if about.get("type") == "object" else about.get("type", "any")


class Settings(_Generated):
    """Every setting of a recipe, or of one dataclass, with its default and its description."""

    optional_arguments = 1

    def lines(self) -> Iterator[str]:
        if self.arguments:
            module, _, name = self.arguments[0].rpartition(".")
            yield from _settings_table(getattr(__import__(module, fromlist=[name]), name))
            return
        from rhetree.learning.training.recipe import Recipe

        sections: list[tuple[str, type]] = [("", Recipe)]
        while sections:
            title, kind = sections.pop(0)
            inner = [
                (f"{title}.{field.name}".lstrip("."), type(_default(field)))
                for field in fields(kind)
                if is_dataclass(_default(field))
            ]
            if title:
                about = " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split())
                yield from ("", f"## {title}", "", about, "")
                yield from _settings_table(kind)
            sections = inner + sections


def _settings_table(kind: type) -> Iterator[str]:
    about = _below_fields(kind)
    own = [field for field in fields(kind) if not is_dataclass(_default(field))]
    if own:
        yield from ("| setting | default | |", "| --- | --- | --- |")
    for field in own:
        default = _default(field)
        shown = "" if default is MISSING else f"`{json.dumps(default, ensure_ascii=False)}`"
        yield f"| `{field.name}` | {_cell(shown)} | {_cell(about.get(field.name, ''))} |"
    yield ""


def _default(field: Any) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _below_fields(kind: type) -> dict[str, str]:
    """The string below each field, which Python discards."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    found = {}
    for field, below in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
            found[field.target.id] = " ".join(ast.literal_eval(below.value).split())
    return found


def _notebook(path: Path) -> Iterator[str]:
    """A notebook as it was executed: its text, its code and what the code showed."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield from ("", source, "")
            continue
        yield from _fenced("python", source)
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "text/html" in data:
                yield from _fenced("{raw} html", f'<div class="output">{"".join(data["text/html"])}</div>')
            else:
                yield from _fenced("text", "".join(output.get("text") or data["text/plain"]))


def _fenced(kind: str, text: str) -> tuple[str, ...]:
    return ("", f"````{kind}", text.rstrip("\n"), "````", "")


def _plain(text: str) -> str:
    """Help as Markdown: what looks like a tag or emphasis is text."""
    return text.replace("\\", "\\\\").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def prepare_page(app: Sphinx, _name: str, source: list[str]) -> None:
    """Put notebooks into their pages, and lead links to pages of the repository to where the site has them."""
    notebook = re.fullmatch(r"```\{notebook\} (\S+)\n```\n", source[0])
    if notebook is not None:
        app.env.note_dependency(str(HOME / notebook[1]))
        source[0] = "\n".join(_notebook(HOME / notebook[1]))
    for target, page in ELSEWHERE.items():
        source[0] = source[0].replace(f"]({target}", f"]({page}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("names", Names)
    app.add_directive("commands", Commands)
    app.add_directive("routes", Routes)
    app.add_directive("settings", Settings)
    for name, lexer in LEXERS.items():
        app.add_lexer(name, lexer)
    app.connect("source-read", prepare_page)
    return {"parallel_read_safe": True}
