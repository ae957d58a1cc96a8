"""PyTorch's attention layers and functions as layers under test, and its counter of operations as a meter."""
