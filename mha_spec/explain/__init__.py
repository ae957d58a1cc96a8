"""Theorems to read: one lesson a theorem, printed as text, Markdown, LaTeX or JSON."""
