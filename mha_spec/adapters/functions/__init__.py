"""Plain functions `attention(q, k, v, mask)` as layers under test."""
