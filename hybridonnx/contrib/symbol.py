"""`sym.contrib`, under the name that MXNet has it as well: importing this gives that very module."""

import sys

from ..symbol import contrib

sys.modules[__name__] = contrib
