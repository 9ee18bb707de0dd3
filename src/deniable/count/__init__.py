"""Counts: how often each combination of reported answers occurs, whatever holds the replies."""
