"""What single values of the kernel say: unique ids, masks and states of paths, units, wait places."""
