"""The model in Stan, and how well the engines of `rat_widgets` agree with it."""
