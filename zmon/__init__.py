"""zmon: the z/VM Performance Toolkit's screens for Linux on IBM Z."""

__version__ = "0.2.0"
