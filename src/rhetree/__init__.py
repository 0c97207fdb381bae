"""English text to elementary discourse units and labelled rhetorical trees.

The public names are listed in ``__init__.pyi``. Each is imported when it is first used, so that
importing the package costs next to nothing.
"""

import sys

import lazy_loader

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name):
    if name == "__version__":
        from importlib.metadata import version

        return version("rhetree")
    value = _load(name)
    _show_in_notebooks()
    return value


def _show_in_notebooks():
    from rhetree.draw.display import install

    install()


if "IPython" in sys.modules:
    _show_in_notebooks()
