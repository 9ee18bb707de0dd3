"""Models of the true answers."""
