"""Arrays and the operators on them, under MXNet's names: `nd.array`, `nd.Convolution` and so on."""
