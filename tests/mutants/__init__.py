"""Wrong attention layers on purpose, each named by its mistake and built from a kind of reported bug."""
