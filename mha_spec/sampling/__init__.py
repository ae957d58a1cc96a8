"""Inputs drawn for programs and designs."""
