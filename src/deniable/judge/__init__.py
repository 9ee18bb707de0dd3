"""Judgement of designs before anybody is asked: which one to take, and what a clever collector could find out."""
