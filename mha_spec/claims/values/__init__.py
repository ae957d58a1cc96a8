"""Theorems about what attention computes: formulas with sums, chains of steps, and how a step is decided."""
