"""Drawing what a layer is called with: choices, the builder that turns them into a case, and streams of cases."""
