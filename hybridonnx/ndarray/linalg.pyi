# Written by scripts/stubs; do not edit.



