"""Uses of Gluon, each a function of `mx` and `show` that runs with real MXNet and with this project alike.

`show` keeps what the scenario saw; oracle/gluon.py stores what real MXNet showed, the tests compare.
"""
