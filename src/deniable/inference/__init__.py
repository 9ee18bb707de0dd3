"""Inference: from what was reported to what is true."""
