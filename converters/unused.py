"""Names that nothing has yet."""

from __future__ import annotations


class UsedNames(set[str]):
    """The names in use, of which more are made: a wish is numbered if it is taken.

    The last number of each wish is remembered: thousands of equal wishes take no longer than different ones.
    """

    def __init__(self, *names: str) -> None:
        super().__init__(names)
        self._numbers: dict[str, int] = {}

    def new(self, wish: str) -> str:
        """A name like `wish` that was not in use, and is from now on."""
        name, number = wish, self._numbers.get(wish, 0)
        while name in self:
            number += 1
            name = f"{wish}_{number}"
        if number:
            self._numbers[wish] = number
        self.add(name)
        return name
