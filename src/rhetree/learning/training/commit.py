"""Which commit of the code made a model or a result."""

import subprocess
from pathlib import Path


def source_commit() -> str | None:
    """The commit of this code, with a ``+`` if files have changed since; None outside a checkout."""
    checkout = Path(__file__).parents[4]
    if not (checkout / ".git").exists():
        return None
    # In a container the checkout often belongs to another user, and git would refuse to look at it.
    git = ["git", "-c", f"safe.directory={checkout}", "-C", str(checkout)]
    describe = [*git, "describe", "--always", "--abbrev=40", "--dirty=+", "--exclude=*"]
    try:
        return subprocess.run(describe, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
