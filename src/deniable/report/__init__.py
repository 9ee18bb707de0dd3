"""Telling what was found."""
