"""Trees on numbers under noise."""
