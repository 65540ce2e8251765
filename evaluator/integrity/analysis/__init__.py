"""Reads the files of a submission without running them and says what the rules forbid. Needs neither torch nor Triton.

`project` parses, `policy_*` hold the rules as tables, `machine` and its neighbours run the files abstractly: every
name is followed to what it may stand for (an outside object, a launcher input, a table, a kernel …), so that an alias
or a detour over a helper changes nothing.
"""
