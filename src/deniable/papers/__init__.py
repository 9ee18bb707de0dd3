"""The four papers: their data and their experiments."""

from deniable.papers.data import adult, breast_cancer
from deniable.papers.synthetic import agrawal

__all__ = ["adult", "agrawal", "breast_cancer"]
