"""What is said: frozen values, JSON in and out, ready to be shown."""
