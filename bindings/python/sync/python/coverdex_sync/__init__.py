"""What lets the package coverdex build datasets and read payers: nothing to import from here."""
