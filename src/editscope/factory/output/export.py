"""Export of a build: a folder that `datasets` loads, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.factory.engine.build import Build
from editscope.factory.engine.opened import LIMIT
from editscope.factory.output.card import CardCounts, data_card, plan_hash
from editscope.factory.output.columns import ExportColumn, FieldSurvey
from editscope.factory.output.parquet import ParquetShards
from editscope.factory.output.roles import TrainingRoles, roles_of
from editscope.factory.output.settings import TEST, OutputSettings, output_settings
from editscope.factory.output.splitting import SourceGroups, split_of
from editscope.factory.output.suite_folder import SUITE, SuiteFolder
from editscope.factory.output.webdataset import TarShards
from editscope.files import SETTINGS, read_file
from editscope.runfolder.whole_folders import put_back, whole_folder

FORMAT = 1
MARK = "export.json"
"""The file that makes a folder an export."""
CARD, DATA, TARS = "README.md", "data", "webdataset"
SOURCES = ("picture", "before", "pictures", "video")
"""Fields that are the source of a record where the plan names none, the first that records have."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What a command asks for besides the plan."""

    webdataset: bool = False
    partial: bool = False
    skip_bad: bool = False
    progress: Callable[[str, int, int], None] = lambda doing, done, total: None


@dataclass(frozen=True, slots=True)
class WrittenExport:
    """What was written: records by split, cases of a suite, and remarks that a user should read."""

    folder: Path
    splits: dict[str, int]
    cases: int
    remarks: tuple[str, ...]


def export(build: Build, folder: Path, options: ExportOptions = ExportOptions()) -> WrittenExport:
    """Write a finished build into a folder; an earlier export there is replaced when the new one is whole."""
    settings = output_settings(build.plan)
    _check_target(folder)
    remarks = list(_unfinished(build, options.partial))
    survey = _Survey(build, settings, options)
    remarks += survey.remarks
    with whole_folder(folder) as new:
        splits, cases = _write(build, settings, survey, new, options, remarks)
    return WrittenExport(folder, splits, cases, tuple(remarks))


def _unfinished(build: Build, partial: bool) -> Iterator[str]:
    left = build.unfinished()
    if left and not partial:
        raise BadInput(
            f"the build in {build.folder} is not finished: {left}. Go on with `editscope factory build`, export a "
            "pilot with the --limit that it was built with, or export what is there with --partial"
        )
    if left:
        yield f"This is a part of the build: {left}."
        if build.limit is None:  # after a pilot, what is there is the pilot
            build.limit = build.store.fact(LIMIT)


class _Survey:
    """The first pass over the records: columns, groups, and all that could go wrong, before a byte is written."""

    def __init__(self, build: Build, settings: OutputSettings, options: ExportOptions) -> None:
        fields = FieldSurvey()
        for number, record in enumerate(build.records(), start=1):
            fields.add(record)
            if not number % 500:
                options.progress("look", number, number)
        self.total = fields.records
        if not self.total:
            raise BadInput(
                f"the build in {build.folder} has no records; `editscope factory funnel` shows where they went"
            )
        self.columns: Sequence[ExportColumn] = fields.columns(settings.columns, videos=settings.videos)
        self.inferred = not settings.columns
        self.remarks: list[str] = []
        if self.inferred:
            shown = ", ".join(f"{column.name} = '{column.type}'" for column in self.columns)
            self.remarks.append(f"The plan names no columns, so they were inferred: {shown}.")
        self.roles: TrainingRoles = roles_of(settings, self.columns)
        if settings.source and settings.source not in fields.kinds:
            raise BadInput(f"[output] source: no record has the field {settings.source!r}; name another")
        source = settings.source or next((name for name in SOURCES if name in fields.kinds), "")
        self.groups = SourceGroups(source, settings.near)
        for number, record in enumerate(build.records(), start=1):
            self.groups.add(record)
            for column in self.columns:
                column.check(record, build.tools.blobs)
            if not number % 500:
                options.progress("check", number, self.total)


def _write(
    build: Build,
    settings: OutputSettings,
    survey: _Survey,
    new: Path,
    options: ExportOptions,
    remarks: list[str],
) -> tuple[dict[str, int], int]:
    blobs, seed, limit = build.tools.blobs, build.plan.seed, settings.shard_mb << 20
    shards: dict[str, ParquetShards] = {}
    tars: dict[str, TarShards] = {}
    counts = CardCounts()
    tested = TEST in settings.split
    answers = bool(survey.roles.answer) and not next(
        column.optional for column in survey.columns if column.name == survey.roles.answer
    )
    suite = None
    if settings.suite:
        suite = SuiteFolder(new / SUITE, build.plan, settings, blobs, pixels=answers)
    with ExitStack() as closing:
        for number, record in enumerate(build.records(), start=1):
            group = survey.groups.group(record.id)
            split = split_of(group, seed, settings.split, settings.rest)
            counts.add(record, split)
            if split not in shards:
                shards[split] = ParquetShards(new / DATA, split, survey.columns, limit)
                closing.callback(shards[split].abandon)
                tars[split] = TarShards(new / TARS, split, survey.columns, limit)
                closing.callback(tars[split].close)
            shards[split].add(record, group, blobs.get)
            if settings.webdataset or options.webdataset:
                tars[split].add(record, group, blobs.get)
            if suite is not None and (split == TEST or not tested):
                suite.add(record, skip_bad=options.skip_bad)
            options.progress("write", number, survey.total)
        for one in shards.values():
            one.close()
    cases = suite.close() if suite is not None else 0
    if suite is not None and suite.left_out:
        remarks.append(f"{suite.left_out:,} records were left out of the suite, because they cannot be a case of it.")
    empty = [split for split in settings.split if split not in shards]
    remarks += [f"The split {split} is empty: there are too few sources for its share." for split in empty]
    hashed = plan_hash(build.plan, build.plan.source.identity(build.tools))
    card = data_card(
        build.plan, settings, hashed=hashed, columns=survey.columns, roles=survey.roles, counts=counts,
        sizes={split: one.bytes for split, one in shards.items()}, funnel=build.counts(), inferred=survey.inferred,
        remarks=[remark for remark in remarks if remark not in survey.remarks],
        suite=(suite.layout.title, cases) if suite is not None else None,
    )  # fmt: skip
    (new / CARD).write_text(card, encoding="utf-8")
    splits = {split: shards[split].rows for split in sorted(shards)}
    mark = {
        "format": FORMAT, "plan": build.plan.name, "hash": hashed, "splits": splits, "roles": survey.roles.to_json(),
        "columns": {column.name: column.type for column in survey.columns}, "suite": settings.suite,
    }  # fmt: skip
    (new / MARK).write_text(json.dumps(mark, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return splits, cases


# ---- a folder that is whole or not there


def read_mark(folder: Path) -> dict[str, Any]:
    """What an export says about itself; BadInput where a folder is none."""
    if not folder.is_dir():
        raise BadInput(f"{folder} is not there; give the folder that `editscope factory export` wrote")
    try:
        found = json.loads(read_file(folder / MARK, SETTINGS))
    except (OSError, ValueError) as error:
        raise BadInput(f"{folder} is not an export of a build: it has no {MARK} that can be read") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadInput(f"{folder / MARK} was written by another version of Editscope; export the build again")
    return found


def _check_target(folder: Path) -> None:
    """Bring back an export that a killed process had put aside; BadInput for a folder of somebody else's."""
    put_back(folder)
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BadInput(f"{folder} is a file; name a folder with --to")
    there = sorted(path.name for path in folder.iterdir())
    if there and MARK not in there:
        raise BadInput(f"{folder} holds files that are not an export; name a new folder with --to")
    if foreign := [name for name in there if name not in (CARD, DATA, MARK, SUITE, TARS)]:
        raise BadInput(
            f"{folder} holds {foreign[0]!r} besides the export, which would be lost; move it away, or name a new "
            "folder with --to"
        )
