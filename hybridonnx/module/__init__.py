"""Modules: a symbol bound to shapes, with parameters, called with batches."""

from __future__ import annotations

from .module import Module

__all__ = ["Module"]
