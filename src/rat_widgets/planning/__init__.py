"""What to label next: strategies, information, designs."""
