"""Models draw, animate and edit: real servers on loopback, their faults, and one budget."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.editors.hosted import Exchange, Failed, ServiceSettings
from editscope.errors import BadInput
from editscope.factory.engine.build import Build
from editscope.factory.models.base import MadeMedia
from editscope.factory.models.loading import ModelOptions, load_models
from editscope.factory.models.videos.openai_videos import OpenAIVideos
from editscope.factory.models.videos.seedance import Seedance
from editscope.factory.models.videos.service import VideoService
from editscope.factory.models.videos.veo import Veo
from editscope.factory.plan import BuildPlan, plan_from
from editscope.factory.records import Fields
from editscope.factory.sources.base import RecordSource
from editscope.factory.steps.tools import Tools
from editscope.images import encode_png, load
from editscope.transport.account import BudgetSpent
from editscope.transport.session import open_session
from support.factory.made_videos import frames_of, video_of
from support.servers.editor_server import KEY, EditorServer, Fault, OpenAIServer, Reply, Seen, drawn, negative
from support.servers.editor_server_ark import ArkServer
from support.servers.editor_server_bfl import BFLServer
from support.servers.editor_server_chat import ChatServer
from support.servers.editor_server_gemini import GeminiServer
from support.servers.video_server import Clip, OpenAIVideoServer, SeedanceServer, VeoServer, VideoServer

COUNT = 4
DRAWING: dict[type[EditorServer], str] = {
    OpenAIServer: "gpt-image-1",
    GeminiServer: "gemini-2.5-flash-image",
    BFLServer: "flux-pro-1.1",
    ArkServer: "doubao-seedream-4-0-250828",
    ChatServer: "some/image-chat",
}
VIDEOS: dict[type[VideoServer], str] = {OpenAIVideoServer: "wan-of-mine", VeoServer: "", SeedanceServer: ""}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "BFL_API_KEY", "ARK_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setattr("editscope.editors.hosted.client.HostedModel.backoff_s", 0.001)
    yield


class CupSource(RecordSource):
    """Pictures of noise, a prompt, a motion and two turns for each."""

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        for number in range(start, COUNT):
            pixels = np.random.default_rng(number).integers(0, 256, (36, 64, 3), np.uint8)
            yield {
                "prompt": f"cup {number}",
                "picture": tools.blobs.put(encode_png(pixels)),
                "motion": f"moves {number}",
                "turns": [f"step {number}a", f"step {number}b"],
            }


def plan_of(folder: Path, spec: str, *steps: dict[str, Any]) -> BuildPlan:
    """Cups, and steps whose model is called ``maker``."""
    source = {"use": "python:test_making:CupSource"}
    plan = {"name": "made", "source": source, "models": {"maker": spec}, "steps": list(steps)}
    return plan_from(plan, "plan.toml", folder)


def draw(**settings: Any) -> dict[str, Any]:
    return {"name": "paint", "use": "draw", "model": "maker", **settings}


def animate(**settings: Any) -> dict[str, Any]:
    return {"name": "move", "use": "animate", "model": "maker", "prompt": "motion", **settings}


def edit(**settings: Any) -> dict[str, Any]:
    return {"name": "change", "use": "edit", "model": "maker", "instruction": "motion", **settings}


def run(plan: BuildPlan, folder: Path, prices: Path | None = None, **options: Any) -> tuple[Any, list[Any], Build]:
    with Build(plan, folder, models=load_models(plan, ModelOptions(prices=prices)), **options) as build:
        result = build.run()
        return result, list(build.records()), build


def no_key_in(folder: Path) -> bool:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return bool(files) and not any(KEY.encode() in path.read_bytes() for path in files)


@pytest.mark.parametrize("vendor", DRAWING, ids=lambda vendor: vendor.kind)
def test_every_vendor_draws_without_a_picture_and_is_asked_once(vendor: type[EditorServer], tmp_path: Path) -> None:
    with vendor(keys=[KEY], draws=True) as server:
        plan = plan_of(tmp_path, server.spec(DRAWING[vendor]), draw(width=64, height=48))
        result, records, build = run(plan, tmp_path / "build")
        run(plan, tmp_path / "build")
        assert server.calls == COUNT and not server.wrong and not server.leaks
    assert result.records == COUNT
    for record in records:
        assert np.array_equal(load(build.tools.blobs.get(record.fields["picture"])), drawn(record.fields["prompt"]))
        ((step, notes),) = record.history
        assert step == "paint" and notes["model"].startswith(f"{vendor.kind}:")
        assert notes["seed"] == build.tools.number("paint", record.id)
    assert no_key_in(tmp_path / "build")


def test_the_size_that_a_step_wants_is_what_models_are_asked_for(tmp_path: Path) -> None:
    wanted: dict[tuple[type[EditorServer], str], dict[str, Any]] = {
        (OpenAIServer, "gpt-image-1"): {"size": "1536x1024"},
        (OpenAIServer, "flux-of-mine"): {"size": "1280x720"},
        (BFLServer, "flux-pro-1.1"): {"width": 1280, "height": 704},
        (BFLServer, "flux-kontext-pro"): {"aspect_ratio": "16:9"},
        (ArkServer, "doubao-seedream-4-0-250828"): {"size": "1280x720"},
        (ChatServer, "some/chat"): {"image_config": {"aspect_ratio": "16:9"}},
    }
    for number, ((vendor, model), fields) in enumerate(wanted.items()):
        with vendor(draws=True) as server:
            plan = plan_of(tmp_path, server.spec(model), draw(width=1280, height=720))
            assert run(plan, tmp_path / f"build-{number}", limit=1)[0].records == 1, server.wrong
            assert fields.items() <= dict(server.seen[0].fields).items()
    with GeminiServer(draws=True) as server:
        run(plan_of(tmp_path, server.spec(), draw(width=1280, height=720)), tmp_path / "gemini", limit=1)
        assert server.seen[0].fields["generationConfig"]["imageConfig"] == {"aspectRatio": "16:9"}


def test_a_refusal_drops_a_failure_stays_pending_and_neither_is_the_other(tmp_path: Path) -> None:
    outcomes: dict[str, Reply | Fault] = {"cup 1": Reply(refused="not this"), "cup 2": Fault(500)}

    def mixed(seen: Seen) -> Reply | Fault:
        return outcomes.get(seen.instruction, Reply())

    with OpenAIServer(mixed, draws=True) as server:
        plan = plan_of(tmp_path, server.spec(), draw())
        result, _, _ = run(plan, tmp_path / "build")
        counts = result.counts["paint"]
        assert (counts.records_in, counts.records_out, counts.pending) == (COUNT, COUNT - 2, 1)
        assert dict(counts.dropped) == {"the model declined": 1}
        before = server.calls
        outcomes.pop("cup 2")
        result, records, _ = run(plan, tmp_path / "build")
        assert result.pending == 0 and len(records) == COUNT - 1 and server.calls == before + 1


def test_a_budget_stops_drawing_which_goes_on_with_more(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[editors."gpt-image-1"]\npicture = 1.0\n')
    usage: dict[str, Any] = {}
    with OpenAIServer([Reply(usage=usage)], draws=True) as server:
        plan = plan_of(tmp_path, server.spec(), draw(at_once=1))
        with pytest.raises(BudgetSpent, match="--budget"):
            run(plan, tmp_path / "build", prices, budget=2.5)
        assert server.calls == 2
        assert run(plan, tmp_path / "build", prices, budget=10)[0].records == COUNT
        assert server.calls == COUNT


@pytest.mark.parametrize("vendor", VIDEOS, ids=lambda vendor: vendor.kind)
def test_every_vendor_animates_a_picture_and_is_asked_once(vendor: type[VideoServer], tmp_path: Path) -> None:
    with vendor(keys=[KEY]) as server:
        plan = plan_of(tmp_path, server.spec(VIDEOS[vendor]), animate(seconds=4))
        result, records, build = run(plan, tmp_path / "build")
        run(plan, tmp_path / "build")
        assert server.calls == COUNT and not server.wrong and server.polled_with == {KEY}
        assert vendor is VeoServer or not server.leaks  # its videos are behind the key, at its own address
    assert result.records == COUNT
    for record in records:
        assert record.fields["video"]["type"] == "video/mp4"
        assert len(frames_of(build.tools.blobs.get(record.fields["video"]))) == 5
    assert no_key_in(tmp_path / "build")


REFUSED = {
    OpenAIVideoServer: Clip(failed={"code": "moderation_blocked", "message": "blocked"}),
    VeoServer: Clip(refused="the video was blocked by a filter"),
    SeedanceServer: Clip(failed={"code": "OutputVideoSensitiveContentDetected", "message": "sensitive"}),
}


@pytest.mark.parametrize("vendor", VIDEOS, ids=lambda vendor: vendor.kind)
def test_a_filter_drops_and_a_task_that_fails_stays_pending(vendor: type[VideoServer], tmp_path: Path) -> None:
    failed = Clip(failed={"code": "internal" if vendor is not VeoServer else 13, "message": "broken"})
    outcomes: dict[str, Clip] = {"moves 1": REFUSED[vendor], "moves 2": failed}
    with vendor(lambda seen: outcomes.get(seen.instruction, Clip())) as server:
        plan = plan_of(tmp_path, server.spec(VIDEOS[vendor]), animate())
        result, _, _ = run(plan, tmp_path / "build")
        counts = result.counts["move"]
        assert (counts.records_out, counts.pending) == (COUNT - 2, 1)
        assert dict(counts.dropped) == {"the model declined": 1}
        outcomes.pop("moves 2")
        result, records, _ = run(plan, tmp_path / "build")
        assert result.pending == 0 and len(records) == COUNT - 1


def test_a_video_that_cannot_be_decoded_is_asked_for_once_more_and_then_pending(tmp_path: Path) -> None:
    clips = {"moves 0": [Clip(video=b"no video"), Clip()], "moves 1": [Clip(video=bytes(4000))]}

    def mixed(seen: Seen) -> Clip:
        left = clips.get(seen.instruction, [Clip()])
        return left.pop(0) if len(left) > 1 else left[0]

    with SeedanceServer(mixed) as server:
        plan = plan_of(tmp_path, server.spec(), animate())
        result, _, _ = run(plan, tmp_path / "build")
        assert result.pending == 1 and result.counts["move"].records_out == COUNT - 1
        assert server.calls == COUNT + 2


def test_a_video_that_is_too_large_or_elsewhere_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editscope.factory.models.mp4.MOST_VIDEO", 20_000)
    places = {"moves 0": Clip(video=bytes(30_000)), "moves 1": Clip(place="file:///etc/passwd")}
    with OpenAIVideoServer(lambda seen: places.get(seen.instruction, Clip())) as server:
        result, _, _ = run(plan_of(tmp_path, server.spec("wan-of-mine"), animate()), tmp_path / "build")
        assert result.pending == 2 and result.counts["move"].records_out == COUNT - 2
        assert server.calls == COUNT  # what was made and paid for is not ordered again


@pytest.mark.parametrize("vendor", [OpenAIVideoServer, VeoServer], ids=lambda vendor: vendor.kind)
def test_the_key_does_not_follow_a_redirect_to_another_server(vendor: type[VideoServer], tmp_path: Path) -> None:
    with OpenAIServer() as other, vendor(keys=[KEY]) as server:
        server.script = [Clip(place=other.file(video_of(drawn("a cup"))))]
        result, _, _ = run(plan_of(tmp_path, server.spec(VIDEOS[vendor]), animate()), tmp_path / "build")
        assert result.records == COUNT == other.fetches and other.leaks == 0


@pytest.mark.parametrize("vendor", [OpenAIVideos, Veo, Seedance], ids=lambda vendor: vendor.kind)
def test_a_vendor_on_the_internet_cannot_point_into_the_local_network(vendor: type[VideoService]) -> None:
    async def fetched(home: str, url: str) -> bytes:
        async with open_session(home, {}) as session:
            exchange = Exchange(session, vendor(ServiceSettings("m", home)), KEY, 5.0)
            return await exchange.fetch(url, what="video", with_key=vendor is not Seedance)

    with OpenAIServer() as server:
        for url in (server.file(b"secret"), "http://169.254.169.254/latest", server.url.replace("127.0.0.1", "0x7f.1")):
            with pytest.raises(Failed, match="local network"):
                asyncio.run(fetched("http://8.8.8.8/v1", url))
        with pytest.raises(Failed, match="not https"):
            asyncio.run(fetched("https://api.example.org/v1", server.file(b"secret")))
        assert server.fetches == 0 and asyncio.run(fetched(server.url, server.file(b"video"))) == b"video"


def test_no_more_is_asked_for_at_once_than_the_user_says(tmp_path: Path) -> None:
    with OpenAIServer([Reply(latency=0.05)], draws=True) as server:
        plan = plan_of(tmp_path, server.spec(), draw())
        models = load_models(plan, ModelOptions(concurrency=2))
        with Build(plan, tmp_path / "build", models=models) as build:
            assert build.run().records == COUNT
        assert server.peak == 2


def test_a_model_goes_to_another_process_without_its_connections_and_works_there(tmp_path: Path) -> None:
    with OpenAIServer(draws=True) as server:
        plan = plan_of(tmp_path, server.spec(), draw())
        model: Any = load_models(plan)["maker"]

        async def drawn_by(asked: Any) -> bytes:
            made: MadeMedia = await asked.call(lambda painter: painter.draw("a cup", 0, 0, 1))
            await asked.close()
            return made.data

        first = asyncio.run(drawn_by(model))
        copied = pickle.dumps(model)
        assert KEY.encode() not in copied and asyncio.run(drawn_by(pickle.loads(copied))) == first


def test_a_budget_stops_videos_at_the_price_of_their_seconds(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[videos."sora-2"]\nsecond = 0.25\n')
    with OpenAIVideoServer([Clip(video=video_of(drawn("a cup")))]) as server:
        plan = plan_of(tmp_path, server.spec(), animate(at_once=1, seconds=7))
        with pytest.raises(BudgetSpent, match="--budget"):
            run(plan, tmp_path / "build", prices, budget=5)
        assert server.calls == 2
        result, _, _ = run(plan, tmp_path / "build", prices, budget=50)
        assert result.records == COUNT and server.calls == COUNT and not server.wrong
        assert {(seen.fields["seconds"], seen.fields["size"]) for seen in server.seen} == {("8", "1280x720")}


def test_seedance_is_paid_by_the_tokens_that_it_reports(tmp_path: Path) -> None:
    with SeedanceServer() as server:
        plan = plan_of(tmp_path, server.spec(), animate(seconds=5))
        with Build(plan, tmp_path / "build", models=load_models(plan), budget=5.0) as build:
            build.run()
            spent = build.store.spent()["move"]
        assert spent[1] == pytest.approx(COUNT * 48_600 * 2.5e-6)


def test_an_editor_edits_pictures_and_in_turns_pays_no_turn_twice(tmp_path: Path) -> None:
    broken: list[str] = ["step 1b"]

    def mixed(seen: Seen) -> Reply | Fault:
        return Fault(500) if seen.instruction in broken else Reply()

    with OpenAIServer(mixed, keys=[KEY]) as server:
        plan = plan_of(tmp_path, server.spec(), edit(), {**edit(name="again", turns="turns"), "into": "twice"})
        result, _, build = run(plan, tmp_path / "build")
        assert result.pending == 1 and result.counts["change"].records_out == COUNT
        before = [seen.instruction for seen in server.seen]
        broken.clear()
        result, records, build = run(plan, tmp_path / "build")
        assert [seen.instruction for seen in server.seen][len(before) :] == ["step 1b"]
        assert not server.wrong and not list((tmp_path / "build" / "turns").glob("*"))
    assert result.records == COUNT and no_key_in(tmp_path / "build")
    for record in records:
        source, edited, twice = (
            load(build.tools.blobs.get(record.fields[name])) for name in ("picture", "edit", "twice")
        )
        assert np.array_equal(edited, negative(source)) and np.array_equal(twice, source)


def test_a_plan_with_a_model_of_the_wrong_kind_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    for use, spec, message in (
        (draw(), "http://127.0.0.1:1/edit", "there is no kind of image model 'http'"),
        (draw(), "openai:gpt-image-1?colour=red", "colour"),
        (animate(), "bfl:flux-2-pro", "there is no kind of video model 'bfl'"),
        (animate(), "openai:sora-2?api_key=x", "keys come from the environment only"),
        (edit(), "ref:oracle", "looks at the answer of a case"),
        (draw(), "", "does not say which model 'maker' is"),
        (draw(), "python:test_making:draw", "has no such method"),
    ):
        with pytest.raises(BadInput, match=message):
            load_models(plan_of(tmp_path, spec, use))
    with pytest.raises(BadInput, match="only one of width and height"):
        plan_of(tmp_path, "openai:gpt-image-1", draw(width=640))
    with pytest.raises(BadInput, match=r"kind image and, in step 'change', of the kind editor"):
        load_models(plan_of(tmp_path, "openai:gpt-image-1", draw(), edit()))


def test_a_missing_key_is_said_before_the_first_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    for use, spec in ((draw(), "openai:gpt-image-1"), (animate(), "openai:sora-2"), (edit(), "openai:gpt-image-1")):
        with pytest.raises(BadInput, match="OPENAI_API_KEY"):
            run(plan_of(tmp_path, spec, use), tmp_path / f"build-{use['name']}")


class Painter:
    """A model of one's own that draws in one color."""

    def draw(self, prompt: str, width: int, height: int, seed: int) -> Any:
        if prompt == "cup 1":
            raise RuntimeError("no paint left")
        return np.full((height, width, 3), seed % 256, np.uint8)


class PaidPainter:
    """A model of one's own that costs money."""

    def draw(self, prompt: str, width: int, height: int, seed: int) -> MadeMedia:
        return MadeMedia(encode_png(drawn(prompt)), cost_usd=1.0)


def test_what_a_class_of_ones_own_says_that_it_cost_counts_against_the_budget(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "python:test_making:PaidPainter", draw())
    with pytest.raises(BudgetSpent, match="--budget"):
        run(plan, tmp_path / "build", budget=2.0)
    with Build(plan, tmp_path / "build", models=load_models(plan), budget=10.0) as build:
        assert build.run().records == COUNT and build.store.spent()["paint"][1] == COUNT


class Animator:
    """A model of one's own that returns frames."""

    fps = 4

    def animate(self, picture: Any, prompt: str, seed: int, seconds: float) -> Any:
        return [np.asarray(picture)] * round(seconds * self.fps)


def test_a_class_of_ones_own_draws_and_animates(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "python:test_making:Painter", draw(width=32, height=16))
    result, _, build = run(plan, tmp_path / "drawn")
    assert result.pending == 1 and result.counts["paint"].records_out == COUNT - 1
    plan = plan_of(tmp_path, "python:test_making:Animator", animate(seconds=1.5))
    result, records, build = run(plan, tmp_path / "animated")
    videos = [build.tools.blobs.get(record.fields["video"]) for record in records]
    assert [len(frames_of(video)) for video in videos] == [6] * COUNT
    _, same, _ = run(plan, tmp_path / "animated-again")
    assert [record.fields["video"] for record in same] == [record.fields["video"] for record in records]
