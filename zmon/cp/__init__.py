"""CP, the control program of z/VM: its answers, its user directory, and the few queries that zmon sends."""
