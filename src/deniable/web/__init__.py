"""The survey site."""
