"""Arrays made and kept in files, under the name that MXNet's module has."""

from .creation import array, empty, zeros
from .files import load, load_frombuffer, save

__all__ = ["array", "empty", "load", "load_frombuffer", "save", "zeros"]
