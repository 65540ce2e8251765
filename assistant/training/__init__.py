"""A recipe for training a model to write passes: supervised on trajectories, then by the reward service.

It runs end to end on a tiny model on a CPU (docs/training.md); a real model takes the place of `tiny`. Needs torch; no
process of the workbench imports it.
"""
