"""Arrays with a shape of symbolic sizes and no values, which book the exact cost of what is done to them."""
