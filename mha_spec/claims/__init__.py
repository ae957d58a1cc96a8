"""Claims about attention layers: read, proved or refuted, and confirmed on counted runs."""
