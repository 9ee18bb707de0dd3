"""The four papers: their data and their experiments."""

from deniable.papers.data import adult, breast_cancer

__all__ = ["adult", "breast_cancer"]
