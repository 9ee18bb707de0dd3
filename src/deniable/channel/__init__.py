"""Channels: lotteries that decide what a true answer may become, and designs made of them."""
