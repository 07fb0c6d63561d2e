"""Whether two models compute the same: what differs by more than rounding, and where it begins."""
