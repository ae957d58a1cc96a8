"""A normal form for finite sums with symbolic bounds: what decides a step of a value theorem for all sizes."""
