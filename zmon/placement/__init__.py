"""Where tablespaces lie: their listings, how evenly they are spread, and what moving them would give."""
