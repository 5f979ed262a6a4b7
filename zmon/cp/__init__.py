"""z/VM: what CP answers, what its user directory says, and how it is asked."""
