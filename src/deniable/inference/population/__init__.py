"""Subpopulations, reached by signed weights of the replies."""
