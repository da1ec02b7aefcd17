"""Views as pictures and texts that need no JavaScript: Plotly, SVG, images, tables."""
