"""How deep a tree is that no recursive code survives."""

import sys

DEEP = 3 * sys.getrecursionlimit()
"""EDUs of a tree whose splits are all on the right: three times the frames that Python allows."""
