"""What a model can do here, and nothing else: look at graphs, edit a working copy of the files, have it judged."""

from assistant.tools.registry import TOOLS, ToolResult, call_tool, tool_specs
from assistant.tools.workplace import ToolProblem, Workplace

__all__ = ["TOOLS", "ToolProblem", "ToolResult", "Workplace", "call_tool", "tool_specs"]
