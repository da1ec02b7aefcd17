"""How labels arise: five probabilities, six worlds, priors and the likelihood."""
