"""`python -m hybridonnx`, which is the command `hybridonnx`."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
