"""Estimates by expectation maximisation."""
