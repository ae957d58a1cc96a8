"""Keras: its attention layers, on the backend that Keras is set to; imports Keras only when one of them is loaded."""
