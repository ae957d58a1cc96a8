"""What a program costs: derived once for all sizes, and counted at given ones."""
