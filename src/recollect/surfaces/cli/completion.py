"""The completion command: a script for a shell, made from the table of commands."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from recollect.surfaces.cli.command import Command, argument
from recollect.surfaces.cli.output import Session


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command, as it is completed."""

    name: str
    help: str
    takes_value: bool
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """What may follow on a command line: `path` is the command, such as `conversation start`."""

    path: str
    commands: tuple[tuple[str, str], ...]
    options: tuple[Option, ...]
    choices: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """All that may stand next, besides values of options."""
        return (*(name for name, _ in self.commands), *self.choices, *(o.name for o in self.options))

    @property
    def values(self) -> tuple[str, ...]:
        """The options that take a value."""
        return tuple(o.name for o in self.options if o.takes_value)


def completion(_: Session, given: argparse.Namespace) -> None:
    """Print the script of a shell."""
    from recollect.surfaces.cli.app import parser

    print(SHELLS[given.shell](list(nodes(parser()))), end="")


def nodes(parser: argparse.ArgumentParser, path: str = "") -> Iterator[Node]:
    """The command, and every command below it."""
    commands: list[tuple[str, str]] = []
    options: list[Option] = []
    choices: list[str] = []
    below: list[Node] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {shown.dest: shown.help or "" for shown in action._choices_actions}
            for name, inner in action.choices.items():
                commands.append((name, helps.get(name, "")))
                below += nodes(inner, f"{path} {name}".strip())
        elif action.option_strings:
            given = tuple(map(str, action.choices or ()))
            options += [
                Option(name, str(action.help or ""), action.nargs != 0, given)
                for name in action.option_strings
                if name.startswith("--")
            ]
        else:
            choices += map(str, action.choices or ())
    yield Node(path, tuple(commands), tuple(options), tuple(choices))
    yield from below


def bash(tree: Sequence[Node]) -> str:
    """For bash; where nothing of ours fits, files are offered."""
    paths = " | ".join(f'"{node.path}"' for node in tree if node.path)
    about = "\n".join(
        f'    "{node.path}") words="{" ".join(node.words)}" values=" {" ".join(node.values)} " ;;'
        for node in tree
    )
    chosen = "\n".join(
        f'    "{node.path}:{o.name}") words="{" ".join(o.choices)}" ;;'
        for node in tree
        for o in node.options
        if o.choices
    )
    return f"""# recollect completion for bash: source this file, or put it where bash-completion looks.
_recollect_about() {{
    words="" values=""
    case "$1" in
{about}
    esac
}}

_recollect() {{
    local cur="${{COMP_WORDS[COMP_CWORD]}}" at="" value="" words values word i
    COMPREPLY=()
    _recollect_about ""
    for ((i = 1; i < COMP_CWORD; i++)); do
        word="${{COMP_WORDS[i]}}"
        if [[ -n "$value" ]]; then
            value=""
        elif [[ "$word" == -* ]]; then
            [[ "$values" == *" $word "* ]] && value="$word"
        else
            case "${{at:+$at }}$word" in
            {paths})
                at="${{at:+$at }}$word"
                _recollect_about "$at" ;;
            esac
        fi
    done
    if [[ -n "$value" ]]; then
        words=""
        case "$at:$value" in
{chosen}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}

complete -o default -F _recollect recollect
"""


def zsh(tree: Sequence[Node]) -> str:
    """For zsh, with what each word means."""
    paths = " | ".join(f'"{node.path}"' for node in tree if node.path)
    about = "\n".join(
        f'    "{node.path}") found=({_described(node)}) values=({" ".join(node.values)}) ;;' for node in tree
    )
    chosen = "\n".join(
        f'        "{node.path}:{o.name}") compadd -- {" ".join(o.choices)} ;;'
        for node in tree
        for o in node.options
        if o.choices
    )
    return f"""#compdef recollect
# recollect completion for zsh: source this file, or put it as _recollect where fpath looks.
_recollect_about() {{
    case "$1" in
{about}
    esac
}}

_recollect() {{
    local at="" value="" word i
    local -a found values
    _recollect_about ""
    for ((i = 2; i < CURRENT; i++)); do
        word="${{words[i]}}"
        if [[ -n "$value" ]]; then
            value=""
        elif [[ "$word" == -* ]]; then
            (( ${{values[(Ie)$word]}} )) && value="$word"
        else
            case "${{at:+$at }}$word" in
            {paths})
                at="${{at:+$at }}$word"
                _recollect_about "$at" ;;
            esac
        fi
    done
    if [[ -n "$value" ]]; then
        case "$at:$value" in
{chosen}
        *) _files ;;
        esac
    else
        _describe recollect found || _files
    fi
}}

if [[ "$funcstack[1]" == _recollect ]]; then _recollect "$@"; else compdef _recollect recollect; fi
"""


def fish(tree: Sequence[Node]) -> str:
    """For fish, with what each word means."""
    lines = [
        "# recollect completion for fish: put this into ~/.config/fish/completions/recollect.fish",
        f"set -g __recollect_paths {' '.join(_quoted(node.path) for node in tree if node.path)}",
        "function __recollect_at",
        "    set -l at ''",
        "    for word in (commandline -opc)[2..-1]",
        '        set -l longer (string trim -- "$at $word")',
        "        contains -- $longer $__recollect_paths; and set at $longer",
        "    end",
        '    test "$at" = "$argv[1]"',
        "end",
    ]
    for node in tree:
        condition = f'__recollect_at "{node.path}"'
        here = f"complete -c recollect -n {_quoted(condition)}"
        lines += [f"{here} -f -a {name} -d {_quoted(help)}" for name, help in node.commands]
        lines += [f"{here} -a {choice}" for choice in node.choices]
        for o in node.options:
            value = f" -x -a {_quoted(' '.join(o.choices))}" if o.choices else " -r" if o.takes_value else ""
            lines.append(f"{here} -l {o.name.removeprefix('--')}{value} -d {_quoted(o.help)}")
    return "\n".join((*lines, ""))


def _described(node: Node) -> str:
    told = [
        *node.commands,
        *((choice, "") for choice in node.choices),
        *((o.name, o.help) for o in node.options),
    ]
    return " ".join(_quoted(f"{name}:{help}" if help else name) for name, help in told)


def _quoted(text: str) -> str:
    """A text in single quotes, in the one way that bash, zsh and fish read alike."""
    return "'" + text.replace("\\", "/").replace("'", "’") + "'"


SHELLS: dict[str, Callable[[Sequence[Node]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}

COMMANDS = (
    Command("completion", completion, "Print a script that completes recollect's commands in a shell.", (
        argument("shell", choices=list(SHELLS), help="for bash: source <(recollect completion bash)"),
    )),
)  # fmt: skip
