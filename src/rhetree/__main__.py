"""``python -m rhetree``, and the command ``rhetree``."""

import sys


def main() -> int:
    """Run the command line; the return value is the exit code.

    Ctrl-C may come at any moment: while modules are imported, twice, or while the interpreter waits
    for its threads at the end.
    """
    try:
        import signal

        try:
            from rhetree.cli.main import main as run

            return run()
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":  # worker processes import this module under another name
    sys.exit(main())
