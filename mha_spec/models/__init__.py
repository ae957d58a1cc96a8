"""A published model's config as attention designs: what its layers hold and cost, and which claims apply."""
