"""The survey site: the respondents' page, the door for replies, and the collector's dashboard."""
