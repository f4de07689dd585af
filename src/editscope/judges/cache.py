"""Cache of verdicts: each is paid for once, filed by its content and shared between runs."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable, Mapping
from hashlib import sha256
from json import dumps, loads
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from editscope.databases import use_wal
from editscope.errors import BadInput, Stopped
from editscope.judges.records import Call, Estimate, Judge, Verdict, ask_judge, kept_verdict
from editscope.transport.account import Account
from editscope.transport.budget import Budget
from editscope.transport.forecast import PaidCalls

if TYPE_CHECKING:
    from editscope.judges.batches.post import BatchPost

NAME = "verdicts.sqlite"
WAIT_S = 30.0
"""How long to wait for another process that is writing."""

TABLE = "CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, verdict TEXT NOT NULL) WITHOUT ROWID"


def verdict_key(identity: Mapping[str, Any], call: Call, sample: int = 0) -> str:
    """What a verdict is filed under: SHA-256 of who is asked and how, the prompt, all that is shown, the sample.

    ``identity`` holds the judge's kind, address, model and sampling settings, and never a key.
    """
    key_parts = [dict(identity), call.prompt_hash, call.digest, sample]
    return sha256(dumps(key_parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class VerdictCache:
    """A folder with a SQLite file in WAL mode: several processes may use it, and a kill leaves it whole.

    Only ``ok`` verdicts are kept. A refusal, an unparsed reply or an error may end otherwise next time, so a new run
    asks again; a run that is resumed has them in its journal.
    """

    def __init__(self, folder: str | Path) -> None:
        self.file = Path(folder) / NAME
        self._problem = ""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.file, timeout=WAIT_S, isolation_level=None, check_same_thread=False)
            use_wal(self._db, WAIT_S)
            self._db.execute("PRAGMA synchronous=NORMAL")  # a power cut may cost the last verdicts, never the file
            self._db.execute(TABLE)
        except (OSError, sqlite3.Error) as error:
            raise BadInput(
                f"the verdict cache {self.file} cannot be opened ({error}); choose another folder with --cache DIR, "
                "or turn the cache off with --cache off"
            ) from error

    def get(self, key: str) -> Verdict | None:
        """The verdict under this key, marked as cached; None where there is none.

        A cache that has broken raises Stopped: going on would pay again for what is in it.
        """
        try:
            if self._problem:
                raise sqlite3.Error(self._problem)
            row = self._db.execute("SELECT verdict FROM verdicts WHERE key = ?", (key,)).fetchone()
            return None if row is None else kept_verdict(Verdict.from_json({**loads(row[0]), "cached": True}))
        except (sqlite3.Error, ValueError, TypeError, KeyError) as error:
            raise Stopped(
                f"the verdict cache {self.file} has become unreadable ({error}); move it away or use --cache off, "
                "then resume the run"
            ) from error

    def put(self, key: str, verdict: Verdict) -> None:
        """Keep a verdict. It never raises, since a paid verdict must reach its journal; the next ``get`` tells."""
        if verdict.status != "ok":
            return
        text = dumps({**verdict.to_json(), "cached": False}, ensure_ascii=False, separators=(",", ":"))
        try:
            self._db.execute("INSERT OR IGNORE INTO verdicts VALUES (?, ?)", (key, text))
        except sqlite3.Error as error:
            self._problem = str(error)

    def __len__(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM verdicts").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._db.close()


class CachedJudge(Judge):
    """A judge that asks another only for what the cache does not have; equal calls at the same time are asked once."""

    def __init__(self, inner: Judge, cache: VerdictCache) -> None:
        self.inner = inner
        self.cache = cache
        self.spec = inner.spec
        self.concurrency = inner.concurrency
        self.reserves = inner.reserves
        self._identity = dict(inner.identity)
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def identity(self) -> Mapping[str, Any]:
        """The identity of the judge that is asked."""
        return self.inner.identity

    def use_budget(self, budget: Budget) -> None:
        """Limit what the judge that is asked may spend."""
        self.inner.use_budget(budget)

    def use_account(self, account: Account | None) -> None:
        """Limit what the judge that is asked may spend."""
        self.inner.use_account(account)

    def paid_calls(self, estimate: Estimate) -> PaidCalls:
        """As the judge says that is asked."""
        return self.inner.paid_calls(estimate)

    @property
    def at_once(self) -> int:
        """How many calls the judge that is asked takes at the same time just now."""
        return self.inner.at_once

    @property
    def has_cache(self) -> bool:
        """Always: that is what it is for."""
        return True

    @property
    def batches(self) -> BatchPost | None:
        """The batches of the judge that is asked."""
        return self.inner.batches

    def known(self, call: Call, sample: int = 0) -> Verdict | None:
        """The verdict that the cache has for a call, without asking anybody."""
        verdict = self.cache.get(verdict_key(self._identity, call, sample))
        return None if verdict is None else _as_asked(verdict, self.spec, sample)

    def sends(self, call: Call) -> Mapping[str, Any]:
        """What the judge that is asked sends."""
        return self.inner.sends(call)

    def estimate(self, calls: Iterable[Call], samples: int = 1) -> Estimate:
        """What the calls will take that the cache does not answer."""
        open_calls = [call for call in calls for sample in range(samples) if self.known(call, sample) is None]
        return self.inner.estimate(open_calls)

    async def check(self) -> None:
        """Check the judge that is asked."""
        await self.inner.check()

    async def ask(self, call: Call, sample: int = 0) -> Verdict:
        """The cached verdict, else the judge's, which is then kept."""
        key = verdict_key(self._identity, call, sample)
        lock = self._asking.get(key)
        if lock is None:
            lock = self._asking[key] = asyncio.Lock()
        async with lock:
            cached = self.cache.get(key)
            if cached is not None:
                return _as_asked(cached, self.spec, sample)
            verdict = await ask_judge(self.inner, call, sample)
            self.cache.put(key, verdict)
            return verdict

    async def close(self) -> None:
        """Close the judge and the cache."""
        await self.inner.close()
        self.cache.close()


def _as_asked(found: Verdict, spec: str, sample: int) -> Verdict:
    """A kept verdict under the name by which the judge was asked for this time."""
    from dataclasses import replace

    return replace(found, judge=spec, sample=sample)
