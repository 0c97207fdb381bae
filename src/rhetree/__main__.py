"""``python -m rhetree``."""

import sys

from rhetree.cli.main import main

sys.exit(main())
