"""The folder of a run: on a disk that all machines see, or in a cloud.

A file appears whole under its name, or not at all. Writing a name a second time replaces it by the same bytes, so
that two machines that do the same work do no harm.
"""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rhetree.errors import RhetreeError
from rhetree.jobs.remote import file_system, is_url

_APPEAR_WHOLE = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss")
"""Stores of objects: what is written appears when it is complete, and to rename it would be to copy it."""


class Storage:
    """Files below a folder, which is named by a path or a URL."""

    def __init__(self, place: str) -> None:
        self.place = place if is_url(place) else str(Path(place).absolute())
        self._is_url = is_url(place)

    def __reduce__(self) -> "tuple[type[Storage], tuple[str]]":
        return Storage, (self.place,)

    def name_of(self, name: str) -> str:
        """The whole name of a file, for messages."""
        return f"{self.place.rstrip('/')}/{name}"

    def write(self, name: str, data: bytes) -> None:
        """Write a file whole; an earlier one of this name is replaced."""
        with self._told(name, "written"):
            if self._is_url:
                self._write_url(name, data)
            else:
                self._write_file(Path(self.place, name), data)

    def read(self, name: str) -> bytes | None:
        """The content of a file; None if it is not there."""
        with self._told(name, "read"), suppress(FileNotFoundError):
            if not self._is_url:
                return Path(self.place, name).read_bytes()
            system, top = file_system(self.place)
            content: bytes = system.cat_file(f"{top}/{name}")
            return content
        return None

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with self._told(name, "removed"):
            if not self._is_url:
                Path(self.place, name).unlink(missing_ok=True)
                return
            system, top = file_system(self.place)
            if system.exists(f"{top}/{name}"):
                system.rm_file(f"{top}/{name}")

    def names(self, folder: str = "") -> list[str]:
        """The names of the files in a folder, sorted, without those that are being written."""
        with self._told(folder, "listed"):
            if self._is_url:
                system, top = file_system(self.place)
                place = f"{top}/{folder}".rstrip("/")
                system.invalidate_cache()
                found = system.ls(place, detail=False) if system.isdir(place) else []
                names = [str(path).rpartition("/")[2] for path in found]
            else:
                own = Path(self.place, folder)
                names = [path.name for path in own.iterdir()] if own.is_dir() else []
        return sorted(name for name in names if not name.endswith(".part"))

    def remove_parts(self, *folders: str) -> None:
        """Remove the files that a killed run was writing."""
        for folder in folders:
            with self._told(folder, "cleared of unfinished files"):
                self._remove_parts(folder)

    def _remove_parts(self, folder: str) -> None:
        if not self._is_url:
            for path in Path(self.place, folder).glob(".*.part"):
                path.unlink(missing_ok=True)
            return
        system, top = file_system(self.place)
        place = f"{top}/{folder}".rstrip("/")
        for path in system.ls(place, detail=False) if system.isdir(place) else []:
            if str(path).endswith(".part"):
                system.rm_file(path)

    @contextmanager
    def _told(self, name: str, done: str) -> Iterator[None]:
        """Whatever the file system refuses is an error of ours, with the file's name."""
        try:
            yield
        except OSError as error:
            what = error.strerror or str(error)
            raise RhetreeError(f"{self.name_of(name)}: cannot be {done}: {what}") from error

    def _write_file(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
        try:
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())  # a name that outlives a power cut has its content
            os.replace(part, path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise

    def _write_url(self, name: str, data: bytes) -> None:
        system, top = file_system(self.place)
        path = f"{top}/{name}"
        if self.place.partition("://")[0].lower() in _APPEAR_WHOLE:
            system.pipe_file(path, data)
            return
        system.makedirs(path.rpartition("/")[0], exist_ok=True)
        part = f"{path.rpartition('/')[0]}/.{path.rpartition('/')[2]}.{uuid.uuid4().hex}.part"
        system.pipe_file(part, data)
        system.mv(part, path)
