"""The demo: a made-up survey, and its story on one page."""
