"""Frequent itemsets and association rules of the true answers."""
