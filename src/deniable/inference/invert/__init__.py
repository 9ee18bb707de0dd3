"""Estimates by inversion: Kronecker blocks and the factored inverse."""
