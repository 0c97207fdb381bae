"""Copies of the shipped model that lack something."""

import json
import shutil

from rhetree.runtime.installed import find_model


def english_without(folder, *settings):
    """Copy `english` into a new folder, without these settings of ``runtime`` in its ``config.json``."""
    shutil.copytree(find_model("english"), folder)
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    for name in settings:
        del config["runtime"][name]
    path.write_text(json.dumps(config), encoding="utf-8")
    return folder
