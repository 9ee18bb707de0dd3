"""The four papers: their data and their experiments."""

from deniable.papers.data import adult

__all__ = ["adult"]
