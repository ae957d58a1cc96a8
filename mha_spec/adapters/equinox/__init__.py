"""Equinox: its attention layer; imports Equinox only when it is loaded."""
