"""What the published PassNet harness would make of a submission that is judged here.

Two looks: at the text of the files (`check_files`, nothing is run, no torch), and at what the patterns are traced to
(`traced.check`, in a process of its own, since it runs the submission's code). Each finding names a rule of `rules.py`.
"""

from evaluator.portability.rules import RULES, Finding, Level, Rule
from evaluator.portability.text import check_files

__all__ = ["RULES", "Finding", "Level", "Rule", "check_files"]
