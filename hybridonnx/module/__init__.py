"""Modules: a symbol bound to shapes, with parameters and an optimizer, called with batches."""

from __future__ import annotations

from .base_module import BaseModule
from .module import Module

__all__ = ["BaseModule", "Module"]
