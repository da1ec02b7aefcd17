"""From what was derived to what is said: one builder per noun."""
