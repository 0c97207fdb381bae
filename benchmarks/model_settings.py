"""Writes what was found out about an exported model into its ``config.json``."""

import json
from pathlib import Path
from typing import Any

from rhetree.runtime.model import CONFIG


def write_setting(folder: Path, name: str, value: Any) -> None:
    """Put a setting into ``runtime``, in place of the one that is there."""
    path = folder / CONFIG
    config = json.loads(path.read_text(encoding="utf-8"))
    config["runtime"][name] = value
    path.write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
