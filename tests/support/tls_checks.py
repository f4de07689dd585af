"""Checks of each kind of client against an address, here or in a process of its own."""

from __future__ import annotations

import asyncio

from editscope.editors import load_editor
from editscope.errors import BadInput
from editscope.judges.registry import load_judge


def judge(address: str) -> None:
    asyncio.run(load_judge(f"openai:m?base_url={address}").check())


def hosted(address: str) -> None:
    load_editor(f"openai:m?base_url={address}").check()


def own(address: str) -> None:
    load_editor(f"{address}/edit").check()


def check_all(addresses: list[str]) -> None:
    """Print what each kind of client says to each address."""
    for address in addresses:
        for check in (judge, hosted, own):
            try:
                check(address)
                print("ok")
            except BadInput as error:
                print(error)
