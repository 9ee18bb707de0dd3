"""Questions, and surveys made of them."""
