"""The layouts of treebanks: which files belong to which document and which split. No document is read yet.

- GUM's: a folder of trees beside a folder of CoNLL-U, and lists of documents for the splits.
- RST-DT's: ``RSTtrees-WSJ-main-1.0`` with ``TRAINING`` and ``TEST``, and ``RSTtrees-WSJ-double-1.0``.
- Any other: files in a format that we read, split by lists, or by folders or files called ``train`` and so on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from rhetree.corpora.splits import DOUBLE, SPLITS, Listed, read_split_lists, suggestion
from rhetree.errors import RhetreeError
from rhetree.formats import FORMATS, format_of
from rhetree.formats.files import check_exists
from rhetree.formats.format import Format, Layer, stem

TREE_FOLDERS = (
    "trees",
    "dis",
    "rst/lisp_binary",
    "rs4",
    "rst/rstweb",
    "rs3",
    "rst/lisp_nary",
    "rst/dependencies",
)
"""Folders that may hold a treebank's trees. The first that exists is read; GUM's repository has those in ``rst``."""
TOKEN_FOLDERS = ("conllu", "dep")
"""Folders that may hold the CoNLL-U files that go with the trees."""

RST_DT_PARTS = {
    "RSTtrees-WSJ-main-1.0/TRAINING": "train",
    "RSTtrees-WSJ-main-1.0/DEV": "dev",
    "RSTtrees-WSJ-main-1.0/TEST": "test",
    "RSTtrees-WSJ-double-1.0": DOUBLE,
}
"""RST-DT's folders with their splits. It is distributed without ``DEV``, which many who split it make."""
PENN_NAMES = {
    "file1": "wsj_0764",
    "file2": "wsj_0430",
    "file3": "wsj_0766",
    "file4": "wsj_0778",
    "file5": "wsj_2172",
}
"""Names in the Penn Treebank of the five documents to which RST-DT gave its own."""
_RST_DT_MAIN = "RSTtrees-WSJ-main-1.0"

_TREES = {Layer.TEXT, Layer.TREE}


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFiles:
    """The files of a document, or one file of several documents."""

    path: Path
    """The file with the trees."""
    format: Format
    name: str | None = None
    """Name of its document; None for a file that may hold several."""
    split: str | None = None
    """The split that the file's folder or name says, if any."""
    tokens: Path | None = None
    """CoNLL-U file with the same tokens."""
    text: Path | None = None
    """File with the running text."""
    edus: Path | None = None
    """File with the EDUs, one a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The files of a treebank."""

    name: str
    sources: tuple[DocumentFiles, ...]
    lists: dict[str, Listed]
    """Entries of the split lists by document name."""
    relations: str | None = None
    """Name of the inventory of its relations, if the layout implies one."""
    notes: tuple[str, ...] = ()
    without_tree: dict[str, Path] = field(default_factory=dict)
    """CoNLL-U files that no tree goes with, by document name."""

    @property
    def is_split(self) -> bool:
        """Whether lists, folders or names of files say the split of any document."""
        return bool(self.lists) or any(source.split for source in self.sources)


def find_layout(folder: Path, trees: str | None = None) -> Layout:
    """Recognise the layout of a folder, or of a single file.

    :param trees: which folder inside has the trees to read, such as ``rst/rstweb``; by default the
        first of :data:`TREE_FOLDERS` that exists
    """
    check_exists(folder)
    if folder.is_dir():
        parts = list(_rst_dt_parts(folder)) if trees is None else []
        if parts:
            return _rst_dt(folder, parts)
        tree_folder = _tree_folder(folder, trees)
        token_folder = next((folder / name for name in TOKEN_FOLDERS if (folder / name).is_dir()), None)
        if tree_folder is not None and token_folder is not None:
            return _gum(folder, tree_folder, token_folder)
        return _any(folder, tree_folder or folder)
    return _any(folder, folder)


# --- GUM's --------------------------------------------------------------------------------------


def _tree_folder(folder: Path, trees: str | None) -> Path | None:
    if trees is None:
        return next((folder / name for name in TREE_FOLDERS if (folder / name).is_dir()), None)
    if not (folder / trees).is_dir():
        inside = [path.name for path in sorted(folder.iterdir()) if path.is_dir()]
        inside += [name for name in TREE_FOLDERS if "/" in name and (folder / name).is_dir()]
        raise RhetreeError(f"{folder}: no folder {trees} with trees in it{suggestion(trees, inside)}")
    return folder / trees


def _gum(folder: Path, tree_folder: Path, token_folder: Path) -> Layout:
    tokens = {path.stem: path for path in sorted(token_folder.rglob("*.conllu"))}
    sources = []
    for source in _sources(tree_folder, [_TREES]):
        if source.name is None:
            sources.append(source)
            continue
        beside = tokens.pop(source.name, token_folder / f"{source.name}.conllu")
        sources.append(replace(source, tokens=beside))
    if not sources:
        raise RhetreeError(f"{tree_folder}: no tree in it; expected files that end in {_suffixes()}")
    n_more = len(tokens)
    which = f"1 file of {token_folder} has" if n_more == 1 else f"{n_more} files of {token_folder} have"
    notes = [f"{which} no tree, left out"] if tokens else []
    return Layout(
        name="gum",
        sources=tuple(sources),
        lists=read_split_lists(folder),
        relations="gum",
        notes=tuple(notes),
        without_tree=tokens,
    )


# --- RST-DT's -----------------------------------------------------------------------------------


def _rst_dt_parts(folder: Path) -> Iterator[tuple[Path, str]]:
    """The folders of trees at or below this one, each with its split."""
    own = folder.absolute()
    # Any other treebank may have folders called dev and test: only among RST-DT's does case not matter.
    is_main = _is_called(own, _RST_DT_MAIN) or any(
        beside.name == Path(part).name and _has_trees(beside)
        for part in RST_DT_PARTS
        if (beside := _folder_inside(folder, Path(part).name))
    )
    for part, split in RST_DT_PARTS.items():
        last = Path(part).name
        places = [_folder_inside(folder / "data", part), _folder_inside(folder, part)]
        if is_main:
            places.append(_folder_inside(folder, last))
        if own.name == last or (_is_called(own, last) and _is_called(own.parent, _RST_DT_MAIN)):
            places.append(folder)
        found = next((place for place in places if place is not None and _has_trees(place)), None)
        if found is not None:
            yield found, split


def _folder_inside(folder: Path, inside: str) -> Path | None:
    """The folder of this name, or path, inside another; one in other letter case if there is no other."""
    for name in inside.split("/"):
        if not folder.is_dir():
            return None
        called = [path for path in sorted(folder.iterdir()) if _is_called(path, name) and path.is_dir()]
        if not called:
            return None
        folder = next((path for path in called if path.name == name), called[0])
    return folder


def _is_called(path: Path, name: str) -> bool:
    return path.name.lower() == name.lower()


def _has_trees(folder: Path) -> bool:
    return any(folder.glob("*.dis"))


def _unread_folders(folder: Path, parts: list[tuple[Path, str]]) -> Iterator[str]:
    """Notes on folders of trees beside those of RST-DT's splits."""
    read = [part for part, _ in parts]
    known = ", ".join(Path(part).name for part, split in RST_DT_PARTS.items() if split != DOUBLE)
    homes = dict.fromkeys(part.parent for part, split in parts if split != DOUBLE and part != folder)
    for home in homes:
        for beside in sorted(home.iterdir()):
            if beside not in read and beside.is_dir() and _has_trees(beside):
                yield f"{beside} is not read; of the folders there only {known} are splits"


def _rst_dt(folder: Path, parts: list[tuple[Path, str]]) -> Layout:
    sources = []
    for part, split in parts:
        for path in sorted(part.glob("*.dis")):
            # wsj_0601.out.dis beside wsj_0601.out; file1.dis beside file1
            base = path.with_name(path.name.removesuffix(".dis"))
            edus = path.with_name(f"{base.name}.edus")
            sources.append(
                DocumentFiles(
                    path=path,
                    format=FORMATS["dis"],
                    name=base.name.removesuffix(".out"),
                    split=split,
                    text=base if base.is_file() else None,
                    edus=edus if edus.is_file() else None,
                )
            )
    return Layout(
        name="rst-dt",
        sources=tuple(sources),
        lists=read_split_lists(folder),
        relations="rst-dt",
        notes=tuple(_unread_folders(folder, parts)),
    )


# --- any other ----------------------------------------------------------------------------------


def _any(folder: Path, tree_folder: Path) -> Layout:
    # Files of words and EDUs alone repeat what the trees beside them say. They are read only if
    # there is nothing else, or if one is named.
    sources: tuple[DocumentFiles, ...] = ()
    if tree_folder.is_dir():
        sources = tuple(_sources(tree_folder, [_TREES, {Layer.EDUS, Layer.SENTENCES}]))
    sources = sources or tuple(_sources(tree_folder, [{Layer.EDUS}]))
    if not sources:
        raise RhetreeError(
            f"{folder}: no corpus in it; expected trees/ beside conllu/ (as GUM has), "
            f"{next(iter(RST_DT_PARTS))} (as RST-DT has), or files that end in {_suffixes()}"
        )
    return Layout(name="files", sources=sources, lists=read_split_lists(folder))


def _sources(folder: Path, enough: list[set[Layer]]) -> Iterator[DocumentFiles]:
    """The files of a folder, or the one file, whose format holds all layers of at least one of these sets."""
    paths = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    for path in paths:
        inside = path.relative_to(folder if folder.is_dir() else folder.parent)
        if not path.is_file() or any(part.startswith(".") for part in inside.parts):
            continue
        format = _format_of(path)
        if format is None or not any(layers <= format.holds for layers in enough):
            continue
        name = stem(path, format.suffixes)
        split = next((part for part in (*inside.parent.parts, name) if part in SPLITS), None)
        yield DocumentFiles(path=path, format=format, name=None if format.many else name, split=split)


def _format_of(path: Path) -> Format | None:
    try:
        return format_of(path)
    except RhetreeError:
        return None


def _suffixes() -> str:
    return ", ".join(format.suffixes[0] for format in FORMATS.values())
