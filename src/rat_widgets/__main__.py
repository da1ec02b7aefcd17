"""``python -m rat_widgets``."""

from __future__ import annotations

import sys

from rat_widgets.cli import main

if __name__ == "__main__":
    sys.exit(main())
