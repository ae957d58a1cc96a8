"""Second witnesses: a claim is stated anew for Rocq and for SMT solvers, which judge it by means of their own."""
