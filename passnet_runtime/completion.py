"""Completion for bash, zsh and fish, made from the command line's own parser."""

import argparse

SHELLS = ("bash", "zsh", "fish")


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """What to evaluate in a shell: subcommands first, then options and files."""
    commands = commands_of(parser)
    if shell == "fish":
        return "\n".join(_fish(parser.prog, commands)) + "\n"
    cases = "\n".join(f"    {name}) words='{' '.join(options)}' ;;" for name, options in commands.items())
    function = "_" + parser.prog.replace("-", "_")
    body = f"""{function}() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='{" ".join(commands)}'
  else
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
  fi
  case "$COMP_CWORD:$word" in
    1:*|*:-*) COMPREPLY=( $(compgen -W "$words" -- "$word") ) ;;
    *) COMPREPLY=( $(compgen -f -- "$word") ) ;;
  esac
}}
complete -o filenames -F {function} {parser.prog}
"""
    return f"autoload -U +X bashcompinit && bashcompinit\n{body}" if shell == "zsh" else body


def commands_of(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """Subcommand → its long options."""
    choices = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction)).choices
    return {
        name: [option for action in sub._actions for option in action.option_strings if option.startswith("--")]
        for name, sub in choices.items()
    }


def _fish(program: str, commands: dict[str, list[str]]) -> list[str]:
    lines = [f"complete -c {program} -n __fish_use_subcommand -f -a '{' '.join(commands)}'"]
    for name, options in commands.items():
        lines += [
            f"complete -c {program} -n '__fish_seen_subcommand_from {name}' -l {option.removeprefix('--')}"
            for option in options
        ]
    return lines
