"""What the machine did in an interval: things with named figures."""
