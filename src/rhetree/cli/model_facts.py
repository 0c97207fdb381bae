"""What a model's folder says about the model: its ``config.json`` and its card."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rhetree.errors import ModelError

CARD = "MODEL_CARD.md"

_TASKS = {"joint": "segments and parses", "segment": "segments", "parse": "parses"}
_LONGEST = 400
"""Characters of a card in a list of models."""
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """A model as people look at it, without loading it."""

    name: str
    folder: Path
    n_bytes: int
    """Size of all its files."""
    config: Mapping[str, Any]
    card: str
    """The text of its card; empty if there is none."""

    @property
    def size(self) -> str:
        return f"{self.n_bytes / 1e6:.1f} MB"

    @property
    def licence(self) -> str:
        """The first paragraph of the card's part about its licence."""
        parts = re.split(r"^#+ *(.*)$", self.card, flags=re.MULTILINE)
        about = [text for title, text in zip(parts[1::2], parts[2::2], strict=True) if _is_of_licence(title)]
        return first_paragraph(about[0]) if about else ""

    @property
    def summary(self) -> str:
        """The first paragraph of the card."""
        return first_paragraph(self.card)

    def facts(self) -> Iterator[tuple[str, str]]:
        """The facts that the model's configuration states, each with its name."""
        recipe = self.config.get("recipe", {})
        network = recipe.get("network", {})
        if "task" in network:
            yield "task", _TASKS.get(network["task"], str(network["task"]))
        embedding = network.get("embedding", {})
        if "kind" in embedding:
            path = Path(str(embedding.get("path") or "")).name
            yield "encoder", f"{embedding['kind']} {path}".strip()
        if "runtime" in self.config:
            yield "precision", str(self.config["runtime"].get("precision", "unknown"))
        if self.config.get("labels"):
            yield "labels", str(len(self.config["labels"]))
        if self.config.get("data"):
            yield "trained on", ", ".join(_told(self.config["data"]))
        for split, scores in self.config.get("scores", {}).items():
            yield f"{split} as trained", ", ".join(f"{name} {score:.1f}" for name, score in scores.items())
        made_with = {key: self.config[key] for key in ("rhetree", "torch") if key in self.config}
        made_with |= self.config.get("versions", {})
        if made_with:
            yield "made with", ", ".join(f"{name} {version}" for name, version in made_with.items())
        if self.config.get("requires_rhetree"):
            yield "runs with", f"rhetree {self.config['requires_rhetree']}"

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "name": self.name,
            "folder": str(self.folder),
            "bytes": self.n_bytes,
            "config": dict(self.config),
            "card": self.card,
        }


def read_facts(folder: Path, name: str) -> ModelFacts:
    """Read a model's folder; :class:`ModelError` if it is not a model."""
    from rhetree.runtime.model import read_config

    config = read_config(folder)
    try:
        card = (folder / CARD).read_text(encoding="utf-8") if (folder / CARD).is_file() else ""
        n_bytes = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{folder}: {CARD} cannot be read: {error}") from error
    return ModelFacts(name, folder, n_bytes, config, card)


def first_paragraph(text: str) -> str:
    """The first lines of Markdown that are prose, or the first item of a list, as plain text of some lines."""
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n|\n(?=[-*] )", _COMMENT.sub("", text))]
    prose = [part for part in paragraphs if part and not part.startswith(("#", "|", "---"))]
    if not prose:
        return ""
    plain = " ".join(prose[0].removeprefix("- ").replace("**", "").split())
    return plain if len(plain) <= _LONGEST else plain[:_LONGEST].rpartition(" ")[0] + " …"


def _is_of_licence(title: str) -> bool:
    return re.search(r"licen[cs]e", title, re.IGNORECASE) is not None


def _told(data: Mapping[str, Any]) -> Iterator[str]:
    from rhetree.corpora.corpus import AS_THEY_ARE

    for name, value in data.items():
        if name == "texts":
            continue  # a hash for each document, for programs
        if isinstance(value, int):
            yield f"{value} {name}"
        elif name == "sha256":
            yield f"sha256 {str(value)[:12]}…"
        elif name == "relations":
            known = value.get("name", "a file") if isinstance(value, dict) else value
            yield "relations as they are" if known == AS_THEY_ARE else f"classes of {known}"
        else:
            yield str(value)
