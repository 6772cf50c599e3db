"""Chats and memories of other programs: one small pure parser for each, and one way to store them all."""
