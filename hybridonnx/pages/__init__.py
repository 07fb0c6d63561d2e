"""Results as pages for a browser: one file each, which needs no network, and of which all parts are here."""
