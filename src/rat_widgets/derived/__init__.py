"""What the draws mean, draw by draw: quantities, policies, intervals, the Posterior."""
