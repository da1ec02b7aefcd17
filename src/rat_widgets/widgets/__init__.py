"""Views in the browser, by anywidget: one widget per noun."""
