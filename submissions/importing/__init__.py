"""Reading what was handed in elsewhere: run folders and logs of evaluations. Pure: no Django, nothing is executed."""
