"""The four papers' experiments, and the data they use."""
