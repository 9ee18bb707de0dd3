"""Cross-tabulating what replies say."""
