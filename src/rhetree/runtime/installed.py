"""The models that came with the package, by name."""

from pathlib import Path

from rhetree.errors import ModelError

DEFAULT = "english"
"""The model that is meant where none is named."""

_HOME = Path(__file__).parents[1] / "pretrained"
_CONFIG = "config.json"


def installed_models() -> dict[str, Path]:
    """Every installed model: its name and its folder, in alphabetical order."""
    folders = _HOME.iterdir() if _HOME.is_dir() else ()
    return {folder.name: folder for folder in sorted(folders) if (folder / _CONFIG).is_file()}


def find_model(model: str | Path | None = None) -> Path:
    """The folder of a model: an installed one by its name, any other by its path.

    :param model: None is the default one; a name is looked for among the installed models first
    """
    installed = installed_models()
    name = DEFAULT if model is None else str(model)
    if name in installed and not isinstance(model, Path):
        return installed[name]
    if model is None:
        raise ModelError(
            f"the model {DEFAULT!r} is not installed; {_list_of(installed)}; name one of them or a model's folder"
            if installed
            else "no model is installed with this package; name the folder of one, which rhetree export makes"
        )
    folder = Path(name)
    if folder.is_dir():
        return folder
    raise ModelError(f"no model is called {name!r}, nor is there such a folder; {_list_of(installed)}")


def _list_of(installed: dict[str, Path]) -> str:
    return f"installed: {', '.join(installed)}" if installed else "none is installed with this package"
