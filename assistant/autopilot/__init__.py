"""A model at work without a person: the loop within its budget, what is best so far, the keeper that runs it."""
