"""Haiku: its attention layer; imports Haiku only when it is loaded."""
