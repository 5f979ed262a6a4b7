"""Tables: one module per family of screens, each a pure function from an interval to rows."""
