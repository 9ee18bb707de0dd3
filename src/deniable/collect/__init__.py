"""Keeping replies, and nothing but replies: what comes through the door, and where it rests."""
