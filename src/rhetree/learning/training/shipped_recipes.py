"""The recipes that come with Rhetree, by name. Without torch, so that listing them is fast."""

from difflib import get_close_matches
from pathlib import Path

from rhetree.errors import SettingError

_HOME = Path(__file__).parents[2] / "recipes"
_SUFFIX = ".toml"


def shipped_recipes() -> dict[str, Path]:
    """Every recipe that comes with Rhetree: its name and its file, in alphabetical order."""
    return dict(sorted((path.stem, path) for path in _HOME.glob(f"*{_SUFFIX}")))


def find_recipe(recipe: str) -> Path:
    """The file of a recipe: a shipped one by its name, any other by its path."""
    shipped = shipped_recipes()
    if recipe in shipped:
        return shipped[recipe]
    path = Path(recipe)
    if path.suffix == _SUFFIX and path.exists():
        return path
    if path.suffix == _SUFFIX and path.stem in shipped:
        raise SettingError(f"{recipe}: there is no such file; for the recipe of Rhetree write {path.stem}")
    if path.suffix == _SUFFIX or path.is_file():
        return path  # what is wrong with it, reading tells
    near = get_close_matches(recipe, shipped, n=1)
    hint = f"did you mean {near[0]}?" if near else "rhetree train --list shows them"
    raise SettingError(f"no recipe is called {recipe!r}, nor is there such a file; {hint}")


def title_of(path: Path) -> str:
    """The first line of a recipe's comment."""
    with path.open(encoding="utf-8") as lines:
        return next(lines, "").lstrip("#").strip()
