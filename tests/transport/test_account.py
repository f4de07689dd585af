"""An account that several processes spend from, and that a killed one cannot overdraw."""

from __future__ import annotations

import asyncio
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import pytest

from editscope.errors import BadInput
from editscope.judges.prices import load_prices
from editscope.runs.budget import read_budget
from editscope.transport.account import Account, BudgetSpent, read_balance
from editscope.transport.budget import Bill, Budget
from editscope.transport.prices import PriceSource

SPENDER = """
import os, sys, time
from editscope.transport.account import Account, BudgetSpent
account, sent = Account(sys.argv[1], 10.0), os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
account.begin(0.0)
try:
    while True:
        account.reserve_now(0.05, "call")
        os.write(sent, b".")
        time.sleep(0.001)
        account.settle(0.05, 0.04)
except BudgetSpent:
    sys.exit(3)
"""


def test_requests_fit_into_the_budget_or_are_not_sent(tmp_path: Path) -> None:
    account = Account(tmp_path / "spending.json", 1.0)
    account.begin(0.25)
    account.reserve_now(0.5, "edit")
    account.settle(0.5, 0.4)
    assert account.left == pytest.approx(0.35)
    with pytest.raises(BudgetSpent, match=r"another edit \(about \$0\.40\) .* \$1\.00 \(\$0\.65 spent\).* --budget"):
        account.reserve_now(0.4, "edit")


def test_a_request_of_unknown_price_is_not_sent_once_more_is_spent_than_the_budget(tmp_path: Path) -> None:
    account = Account(tmp_path / "spending.json", 1.0)
    account.begin(0.0)
    account.refuse_overdrawn("edit")
    budget = Budget(account=account, what="edit")
    held = asyncio.run(budget.reserve(0.0))
    budget.settle(held, 1, Bill(9_000.0))
    with pytest.raises(BudgetSpent, match=r"does not fit into the budget of \$1\.00 \(\$9,000\.00 spent\)"):
        asyncio.run(Budget(account=account, what="edit").reserve(0.0))


def test_who_does_not_fit_waits_for_who_may_cost_less_than_it_reserved(tmp_path: Path) -> None:
    account = Account(tmp_path / "spending.json", 1.0)
    account.begin(0.0)

    async def spend() -> list[float]:
        budget = Budget(account=account)
        held = await budget.reserve(0.9)
        second = asyncio.create_task(budget.reserve(0.5))
        await asyncio.sleep(0.1)
        assert not second.done()
        budget.settle(held, 1, Bill(0.2))
        return [held, await second]

    assert asyncio.run(spend()) == [0.9, 0.5]
    assert read_balance(account.file).committed == pytest.approx(0.7)


def test_a_request_that_was_turned_away_gives_its_money_back(tmp_path: Path) -> None:
    account = Account(tmp_path / "spending.json", 1.0)
    account.begin(0.0)

    async def turned_away() -> None:
        budget = Budget(account=account)
        budget.settle(await budget.reserve(0.9), 0)

    asyncio.run(turned_away())
    assert (account.left, read_balance(account.file).held) == (1.0, {})


def test_what_a_killed_process_had_reserved_stays_spent(tmp_path: Path) -> None:
    file = tmp_path / "spending.json"
    account = Account(file, 1.0)
    account.begin(0.0)
    account.reserve_now(0.6, "edit")
    again = pickle.loads(pickle.dumps(account))  # as another process has it
    assert again.begin(0.1).committed == pytest.approx(0.6)
    with pytest.raises(BudgetSpent):
        again.reserve_now(0.5, "edit")


@pytest.mark.parametrize(
    "torn", [b"", b'{"committed_usd": 0.', b'{"committed_usd": -1, "held": {}}', b"[]", b"\x00" * 50]
)
def test_a_torn_file_is_replaced_by_what_the_journal_says(tmp_path: Path, torn: bytes) -> None:
    file = tmp_path / "spending.json"
    file.write_bytes(torn)
    assert Account(file, 5.0).begin(1.5).committed == 1.5


@pytest.mark.slow
def test_however_often_it_is_killed_a_program_sends_no_more_than_the_budget_pays(tmp_path: Path) -> None:
    file, sent = tmp_path / "spending.json", tmp_path / "sent"
    dice, code, kills = random.Random(5), None, 0
    while code != 3:
        pair = [subprocess.Popen([sys.executable, "-c", SPENDER, file, sent]) for _ in range(2)]
        if kills < 12:
            before, until = _size(sent), time.monotonic() + 60
            while _size(sent) < before + dice.randint(2, 9) and time.monotonic() < until and pair[0].poll() is None:
                time.sleep(0.002)
            for process in pair:
                os.kill(process.pid, signal.SIGKILL)
            kills += 1
        code = max(process.wait(120) for process in pair)
    assert 12 <= _size(sent) <= 10.0 / 0.04
    assert _size(sent) * 0.04 <= read_balance(file).committed + 1e-6 <= 10.0 + 2e-6


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


@pytest.mark.parametrize("text", ["-3", "abc", "nan", "inf", "", "20€", "1e400", "$"])
def test_a_budget_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"--budget is .*write dollars, 0 or more, such as --budget 20"):
        read_budget(text)


def test_a_budget_may_be_nothing() -> None:
    assert read_budget("0") == read_budget("$0") == 0.0


def test_every_price_that_ships_has_a_day_and_a_source() -> None:
    from editscope.editors.hosted.prices import load_edit_prices

    sources = [price.source for price in load_prices().values()]
    sources += [price.source for price in load_edit_prices().values()]
    assert all(source.day and source.text and source.page.startswith("https://") for source in sources)


def test_prices_of_your_own_may_say_where_they_are_from(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        '[models]\n"a" = { input = 1, output = 2, date = 2026-10-01, source = "vendor\'s price page" }\n'
        '"b" = { input = 1, output = 2 }\n'
    )
    prices = load_prices(file)
    assert prices["a"].source == PriceSource("vendor's price page", date(2026, 10, 1), yours=True)
    assert prices["b"].source.in_words() == "prices without a date, your file mine.toml"


@pytest.mark.parametrize("entry", ["date = 5", 'date = "soon"', "source = 3"])
def test_a_source_that_makes_no_sense_is_said(tmp_path: Path, entry: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f'[models]\n"a" = {{ input = 1, output = 2, {entry} }}\n')
    with pytest.raises(BadInput, match=r"mine\.toml, model 'a': (date|source) is"):
        load_prices(file)


def test_an_account_with_hundreds_of_dead_reservations_forgets_none_of_the_money(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = Account(tmp_path / "spending.json", 100.0)
    account.begin(0.0)
    for process in range(4_000_000, 4_000_400):  # ids that no process has
        monkeypatch.setattr(os, "getpid", lambda process=process: process)
        account.reserve_now(0.04, "call")
    assert account.read().committed == pytest.approx(16.0)
    assert account.left == pytest.approx(84.0)
    assert read_balance(tmp_path / "spending.json").budget == 100.0
