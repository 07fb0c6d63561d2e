"""Training scripts as users write them, each once, as a function of the package (`mx`) and a `Run`."""
