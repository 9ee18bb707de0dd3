"""Regressions of true answers on true answers: formulas, likelihood, corrected scores."""
