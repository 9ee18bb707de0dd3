"""Expressions and what they mean under a design."""
