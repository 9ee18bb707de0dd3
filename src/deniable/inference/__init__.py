"""From what was reported to what is true."""
