"""The models that are installed, by name: those that came with Rhetree, and those of other packages.

A package offers a model by an entry point of the group ``rhetree_models``: its name is the model's, and its value is
the Python package in whose folder the model's files are.
"""

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from rhetree.errors import ModelError

DEFAULT = "english"
"""The model that is meant where none is named."""

DOCUMENTS = "english-document"
"""The model that joins the sentences of the default model."""

GROUP = "rhetree_models"
"""The entry points by which packages offer models."""

_HOME = Path(__file__).parents[1] / "pretrained"
_CONFIG = "config.json"


def installed_models() -> dict[str, Path]:
    """Every installed model: its name and its folder, in alphabetical order.

    A model that came with Rhetree keeps its name; another package's of the same name is not listed.
    """
    found = dict(_packaged_models()) | _shipped_models()
    return dict(sorted(found.items()))


def find_model(model: str | Path | None = None) -> Path:
    """The folder of a model: an installed one by its name, any other by its path.

    :param model: None is the default one; a name is looked for among the installed models first
    """
    name = DEFAULT if model is None else str(model)
    # To look through all packages takes a while, and a model of our own needs none of them.
    for models in (_shipped_models, installed_models):
        installed = models()
        if name in installed and not isinstance(model, Path):
            return installed[name]
    if model is None:
        raise ModelError(
            f"the model {DEFAULT!r} is not installed; {_list_of(installed)}; name one of them or a model's folder"
            if installed
            else "no model is installed with this package; name the folder of one, which rhetree export makes"
        )
    folder = Path(name)
    try:
        if folder.is_dir():
            return folder
    except OSError as error:  # such as a name that is too long
        raise ModelError(
            f"no model is called {name[:80]!r}, nor is there such a folder: {error.strerror}"
        ) from error
    raise ModelError(f"no model is called {name!r}, nor is there such a folder; {_list_of(installed)}")


def name_of(folder: Path) -> str:
    """What a model is called: an installed one by its own name, any other as its folder."""
    home = folder.resolve()
    if home.parent == _HOME.resolve():
        return home.name
    # In a package of its own, the folder is often called "model".
    return next((name for name, own in installed_models().items() if own.resolve() == home), home.name)


def _shipped_models() -> dict[str, Path]:
    folders = _HOME.iterdir() if _HOME.is_dir() else ()
    return {folder.name: folder for folder in folders if (folder / _CONFIG).is_file()}


def _packaged_models() -> Iterator[tuple[str, Path]]:
    for entry in entry_points(group=GROUP):
        folder = _folder_of(entry)
        if folder is not None and (folder / _CONFIG).is_file():
            yield entry.name, folder


def _folder_of(entry: EntryPoint) -> Path | None:
    """The folder of a package, which is not run; None where there is no such package."""
    top, *inner = entry.module.split(".")
    spec = find_spec(top)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0], *inner)


def _list_of(installed: dict[str, Path]) -> str:
    return f"installed: {', '.join(installed)}" if installed else "none is installed with this package"
