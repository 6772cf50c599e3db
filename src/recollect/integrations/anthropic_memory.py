"""The backend of Anthropic's memory tool (`memory_20250818`): Claude's memory directory, kept in recollect.

client.beta.messages.tool_runner(…, tools=[RecollectMemoryTool(memory)])
"""

import asyncio
from collections.abc import Callable

from recollect.errors import InvalidInput
from recollect.integrations.memory_files import Files, Refused
from recollect.memory import Memory

try:
    from anthropic.lib.tools import ToolError
    from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
except ImportError as error:
    raise ImportError("the memory tool needs Anthropic's SDK: pip install 'recollect[anthropic]'") from error


class RecollectMemoryTool(BetaAbstractMemoryTool):
    """Claude's files in the first space of a memory's view; every edit is kept as a version."""

    def __init__(
        self, memory: Memory, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = Files(memory)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file or a directory."""
        return _answer(lambda: self._files.view(command.path, command.view_range))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file."""
        return _answer(lambda: self._files.create(command.path, command.file_text))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Put other words into a file; without new ones, the old are removed."""
        new = getattr(command, "new_str", None) or ""
        return _answer(lambda: self._files.str_replace(command.path, command.old_str, new))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert text after a line."""
        return _answer(lambda: self._files.insert(command.path, command.insert_line, command.insert_text))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Set a file or directory aside."""
        return _answer(lambda: self._files.delete(command.path))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Give a file or directory another name."""
        return _answer(lambda: self._files.rename(command.old_path, command.new_path))

    def clear_all_memory(self) -> str:
        """Set every file aside."""
        return _answer(self._files.clear)


class AsyncRecollectMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for async code: each command runs on a thread."""

    def __init__(
        self, memory: Memory, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = RecollectMemoryTool(memory)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file or a directory."""
        return await asyncio.to_thread(self._tool.view, command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a file."""
        return await asyncio.to_thread(self._tool.create, command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Put other words into a file."""
        return await asyncio.to_thread(self._tool.str_replace, command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert text after a line."""
        return await asyncio.to_thread(self._tool.insert, command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Set a file or directory aside."""
        return await asyncio.to_thread(self._tool.delete, command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Give a file or directory another name."""
        return await asyncio.to_thread(self._tool.rename, command)

    async def clear_all_memory(self) -> str:
        """Set every file aside."""
        return await asyncio.to_thread(self._tool.clear_all_memory)


def _answer(command: Callable[[], str]) -> str:
    """The result of a command; what is refused becomes the SDK's error, which Claude reads."""
    try:
        return command()
    except Refused as refusal:
        raise ToolError(str(refusal)) from None
    except InvalidInput as error:
        raise ToolError(f"Error: {error}") from error
