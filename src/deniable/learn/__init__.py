"""Learners: ordinary models, from estimates of the truth."""
