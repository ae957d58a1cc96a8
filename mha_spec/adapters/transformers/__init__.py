"""Attention modules of Hugging Face's transformers as layers under test."""
