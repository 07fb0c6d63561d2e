"""Readers and writers of MXNet's files, on plain data."""
