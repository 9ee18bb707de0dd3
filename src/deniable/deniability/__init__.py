"""How deniable a reply is. Needs only the channel, so it is known before the survey opens."""
