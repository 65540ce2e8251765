"""How fast a graph runs on a GPU: timers, rounds, kernels, the roofline floor and the device's own state."""
