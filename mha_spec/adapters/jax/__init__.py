"""JAX: what its layer libraries share (`compiled`), its attention function and its meter; imports JAX when used."""
