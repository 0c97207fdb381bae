"""Training: settings and recipe, the loop, its checkpoint and the folder of a run."""
