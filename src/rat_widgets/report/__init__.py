"""Views to one self-contained page."""
