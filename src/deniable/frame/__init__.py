"""Data frames and files as columns of cells."""
