"""What modules show that MXNet had before Gluon, or beside it: each function is a scenario."""
