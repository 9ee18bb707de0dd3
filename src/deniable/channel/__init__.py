"""What a true answer may become."""
