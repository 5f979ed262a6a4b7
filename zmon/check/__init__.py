"""Best-practice checks: settings that are known to cost time or to be a risk, and the advice."""
