"""A vote is never lost and never counted twice: keys, tabs, forged links, and what a browser may learn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from editscope.errors import BadInput
from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.store.group_commit import GroupCommit
from editscope.studio.studies.assigning import ItemRequest, give_items
from editscope.studio.studies.ledger import Ballot, Receipt, Submission, save_ballots
from editscope.studio.studies.raters import set_revoked, set_state
from editscope.studio.studies.records import Rater
from editscope.studio.studies.retracting import Retraction, retract
from editscope.studio.studies.tables import EXCLUSIONS, ITEMS, VOTES
from support.studio.made_study import NAMES, made_study


@contextmanager
def opened(folder: Path) -> Iterator[Store]:
    store = Store.opened(Settings(folder))
    try:
        yield store
    finally:
        store.close()


def items_of(store: Store, rater: Rater, want: int = 5) -> dict[str, Any]:
    with store.writing() as connection:
        (answer,) = give_items(connection, [ItemRequest(rater.secret, want, agreed=True)])
    if isinstance(answer, Exception):
        raise answer
    return answer


def saved(store: Store, rater: Rater, *ballots: Ballot) -> tuple[Receipt, ...]:
    with store.writing() as connection:
        (receipts,) = save_ballots(connection, [Submission(rater.secret, ballots)])
    if isinstance(receipts, Exception):
        raise receipts
    return receipts


def rows_of(store: Store) -> list[Any]:
    with store.reading() as connection:
        return list(connection.execute(select(VOTES).order_by(VOTES.c.id)))


def test_a_vote_sent_again_is_one_vote_and_another_tab_does_not_change_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        _, (rater, _) = made_study(store, tmp_path)
        item = items_of(store, rater)["items"][0]["key"]
        first = Ballot(item, "key-of-the-first-tab", "left", seconds=2.0, browser="b1")
        assert [receipt.status for receipt in saved(store, rater, first)] == ["saved"]
        assert [receipt.status for receipt in saved(store, rater, first, first)] == ["saved", "saved"]
        second = Ballot(item, "key-of-the-other-tab", "right")
        assert [receipt.status for receipt in saved(store, rater, second)] == ["already"]
        (row,) = rows_of(store)
        assert row.key == first.key and row.choice == ("second" if row.swapped else "first")


def test_both_tabs_in_one_commit_leave_one_vote(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        _, (rater, _) = made_study(store, tmp_path)
        item = items_of(store, rater)["items"][0]["key"]
        tabs = [Submission(rater.secret, (Ballot(item, f"key-of-tab-{i}", "left"),)) for i in range(3)]
        with store.writing() as connection:
            receipts = save_ballots(connection, tabs)
        statuses = [receipt[0].status for receipt in receipts if not isinstance(receipt, Exception)]
        assert sorted(statuses) == ["already", "already", "saved"]
        assert len(rows_of(store)) == 1


def test_votes_that_cannot_be_are_refused_with_a_sentence(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        _, (rater, other) = made_study(store, tmp_path)
        first, second = (item["key"] for item in items_of(store, rater, 2)["items"])
        saved(store, rater, Ballot(first, "a-key-of-mine", "left"))
        (reused,) = saved(store, rater, Ballot(second, "a-key-of-mine", "left"))
        assert reused.status == "refused" and "another" in reused.message
        (stranger,) = saved(store, other, Ballot(first, "a-key-of-theirs", "left"))
        assert stranger.status == "refused" and "not given to you" in stranger.message
        (tie,) = saved(store, rater, Ballot(second, "a-key-of-a-tie", "tie"))
        assert tie.status == "refused" and "left, right" in tie.message
        forged = Rater(9, 1, 9, "", "forged", None, None)
        with pytest.raises(BadInput, match="belongs to no study"):
            saved(store, forged, Ballot(second, "a-key-of-nobody", "left"))
        with store.writing() as connection:
            set_revoked(connection, made_study_of(connection), rater.number, True)
        with pytest.raises(BadInput, match="withdrawn"):
            items_of(store, rater)
        assert len(rows_of(store)) == 1


def made_study_of(connection: Any) -> Any:
    from editscope.studio.studies.records import find_study

    return find_study(connection, "people")


def test_a_closed_study_takes_the_votes_on_what_it_gave_out(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        study, (rater, _) = made_study(store, tmp_path)
        item = items_of(store, rater, 1)["items"][0]["key"]
        with store.writing() as connection:
            set_state(connection, study, open_=False)
        assert saved(store, rater, Ballot(item, "voted-while-away", "left"))[0].status == "saved"
        answer = items_of(store, rater)
        assert answer["step"] == "closed" and not answer["items"]


def test_a_browser_learns_nothing_that_tells_models_apart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        study, (rater, other) = made_study(store, tmp_path)
        answers = [items_of(store, rater, 40), items_of(store, other, 40)]
        text = json.dumps(answers)
        assert not any(name in text for name in NAMES) and "case0" not in text
        sizes = {json.dumps(item["pictures"]) for answer in answers for item in answer["items"]}
        assert len(sizes) == 1  # source, left and right of every item have one size
        with store.reading() as connection:
            ids = list(connection.execute(select(ITEMS.c.id)).scalars())
        swaps = [study.swapped(rater.id, item) for rater in (rater, other) for item in ids]
        assert 0 < sum(swaps) < len(swaps)


def test_items_go_out_evenly_and_stop_at_the_number_of_votes(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        _, raters = made_study(store, tmp_path, cases=2, raters=4, votes=2)  # 6 pairs, 12 votes
        for turn in range(3):
            for rater in raters:
                given = items_of(store, rater, 1)["items"]
                saved(store, rater, *(Ballot(item["key"], f"key-{rater.number}-{turn}", "left") for item in given))
            with store.reading() as connection:
                given_out = list(connection.execute(select(ITEMS.c.given)).scalars())
            assert max(given_out) - min(given_out) <= 1
        assert all(items_of(store, rater)["step"] == "finished" for rater in raters)
        with store.reading() as connection:
            counts = select(func.count()).select_from(VOTES).group_by(VOTES.c.item_id)
            assert set(connection.execute(counts).scalars()) == {2}


def test_a_vote_taken_back_stays_as_a_row_and_the_item_goes_to_another(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        _, (rater, other) = made_study(store, tmp_path, cases=1, models=NAMES[:2], votes=1)
        item = items_of(store, rater)["items"][0]["key"]
        saved(store, rater, Ballot(item, "a-slip-of-the-hand", "left"))
        assert items_of(store, other)["step"] == "finished"
        with store.writing() as connection:
            retract(connection, [Retraction(rater.secret, item), Retraction(rater.secret, item)])
        assert items_of(store, rater)["step"] == "finished"
        assert [one["key"] for one in items_of(store, other)["items"]] == [item]
        with store.reading() as connection:
            (row,) = connection.execute(select(EXCLUSIONS))
        assert row.reason == "taken back by the rater" and len(rows_of(store)) == 1


def test_qualification_comes_first_and_decides_who_goes_on(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        study, (careful, careless) = made_study(store, tmp_path, qualification=4, check_every=3)
        for rater, careful_one in ((careful, True), (careless, False)):
            answer = items_of(store, rater, 10)
            assert answer["step"] == "qualification" and len(answer["items"]) == 4
            with store.reading() as connection:
                rows = {row.key: row for row in connection.execute(select(ITEMS))}
            for item in answer["items"]:
                row = rows[item["key"]]
                good_left = (row.expected["choice"] == "first") != study.swapped(rater.id, row.id)
                side = "left" if good_left == careful_one else "right"
                (receipt,) = saved(store, rater, Ballot(item["key"], f"q-{rater.number}-{item['key']}", side))
                assert receipt.feedback == {"right": careful_one}
        answer = items_of(store, careful, 20)
        assert answer["step"] == "voting"
        kinds = [rows[item["key"]].kind for item in answer["items"]]
        assert kinds.count("check") == 4 and kinds.count("vote") == 12
        assert items_of(store, careless)["step"] == "unqualified"


def test_one_bad_change_does_not_take_others_with_it(tmp_path: Path) -> None:
    def work(connection: Any, values: Any) -> list[int]:
        if any(value < 0 for value in values):
            raise RuntimeError("cannot be written")
        return [2 * value for value in values]

    with opened(tmp_path) as store:
        writer = GroupCommit(store)
        try:
            with store.writing():  # so that all of them wait, and are one group
                answers = [writer.submit(work, value) for value in (1, -1, 3)]
            assert answers[0].result() == 2 and answers[2].result() == 6
            with pytest.raises(RuntimeError, match="cannot be written"):
                answers[1].result()
        finally:
            writer.close()
