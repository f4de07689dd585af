"""Workers: programs in an environment of their own that make edits, and everything they may do wrong."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.cases import Edit
from editscope.editors import EditLimits, Request, load_editor
from editscope.editors.worker import WorkerEditor
from editscope.editors.worker.link import GIVE_UP
from editscope.errors import BadInput, Stopped

pytestmark = pytest.mark.slow

SKELETON = files("editscope.editors.worker").joinpath("skeleton.py").read_text(encoding="utf-8")
BELOW = "# From here on: how Editscope is talked to."

INVERTS = """
import json, os, sys, time
from pathlib import Path
from PIL import Image, ImageOps

def load(options):
    return {"name": "inverter", "model": "inverter-1", **options.get("about", {})}

def edit(request):
    return ImageOps.invert(request.images[0])
"""


def skeleton(body: str) -> str:
    """The skeleton with its part to fill in filled in."""
    head, _, rest = SKELETON.partition("def load(")
    assert BELOW in rest
    return head + body + "\n\n# ---\n" + BELOW + rest.partition(BELOW)[2]


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., Path]:
    def write(text: str, name: str = "my_worker.py") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def a_request(case: str = "a", seed: int = 7, images: int = 1, value: int = 40) -> Request:
    pixels = np.full((6, 8, 3), value, np.uint8)
    pixels[0, 0] = (1, 2, 3)
    return Request(case, (pixels,) * images, f"Invert {case}.", seed, {"task": "invert"}, "explicit")


@contextmanager
def working(path: Path, timeout: float | None = None, **options: Any) -> Iterator[WorkerEditor]:
    """A loaded worker; whatever happens, it is closed."""
    more = "&".join(f"{key}={value}" for key, value in options.items())
    editor = load_editor(f"worker:{shlex.join([sys.executable, str(path)])}" + (f"?{more}" if more else ""))
    assert isinstance(editor, WorkerEditor)
    if timeout is not None:
        editor.limit(EditLimits(timeout_s=timeout))
    editor.check()
    try:
        editor.load()
        yield editor
    finally:
        editor.close()


def ended(pid: int) -> bool:
    """Whether a process is gone or only waits to be collected."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def wait_for(path: Path) -> str:
    """What is written into a file by somebody else, waited for."""
    for _ in range(60_000):
        if path.exists() and (text := path.read_text()):
            return text
        threading.Event().wait(0.01)
    raise AssertionError(f"{path} was never written")


# --- what works -----------------------------------------------------------------------------------------------


def test_a_filled_in_skeleton_edits_and_nothing_is_left_behind(script: Callable[..., Path], tmp_path: Path) -> None:
    with working(script(skeleton(INVERTS))) as editor:
        edit = editor.edit(a_request())
        folder = editor._folder
        assert folder is not None and folder.stat().st_mode & 0o077 == 0, "others could read the pictures"
        assert list(folder.iterdir()) == []
    assert isinstance(edit, Edit) and edit.status == "ok" and edit.model == "inverter-1"
    assert np.array_equal(edit.image, 255 - a_request().arrays[0])  # type: ignore[arg-type]
    assert edit.latency_s is not None and edit.latency_s > 0
    assert not folder.exists()


def test_the_worker_gets_options_seed_tags_and_every_picture(script: Callable[..., Path]) -> None:
    tells = """
def load(options):
    global settings
    settings = known(options, think=False, steps=50, name_of=None)
    return {"max_images": 3}

def edit(request):
    import random
    told = {"seed": request.seed, "tags": request.tags, "variant": request.variant, "case": request.case,
            "instruction": request.instruction, "images": len(request.images), "settings": settings,
            "mode": __import__("PIL.Image").Image.open(request.paths[0]).mode, "dice": random.random()}
    return {"image": request.images[-1], "trace": json.dumps(told)}
"""
    with working(script(skeleton(tells)), think=1) as editor:
        assert editor.max_images == 3
        first, again = editor.edit(a_request(images=2)), editor.edit(a_request(images=2))
    told = json.loads(first.trace or "")
    assert told["settings"] == {"think": True, "steps": 50, "name_of": None}
    assert (told["seed"], told["images"], told["mode"]) == (7, 2, "RGB")
    assert (told["tags"], told["variant"], told["case"]) == ({"task": "invert"}, "explicit", "a")
    assert told["instruction"] == "Invert a."
    assert first.trace == again.trace, "the same seed gave other random numbers"


def test_a_batch_is_one_by_one(script: Callable[..., Path]) -> None:
    counts = (
        INVERTS
        + """
def edit_batch(requests):
    return [{"image": ImageOps.invert(one.images[0]), "trace": str(len(requests))} for one in requests]
"""
    )
    counting = counts.replace('"inverter", ', '"inverter", "batch": 3, ')
    requests = [a_request(case, value=value) for case, value in (("a", 1), ("b", 2), ("c", 3))]
    with working(script(skeleton(counting))) as editor:
        assert editor.batch == 3
        together = editor.edit_batch(requests)
        apart = [editor.edit(request) for request in requests]
    assert [edit.trace for edit in together] == ["3"] * 3
    assert all(np.array_equal(a.image, b.image) for a, b in zip(together, apart, strict=True))  # type: ignore[arg-type]


def test_two_threads_take_turns(script: Callable[..., Path]) -> None:
    found: dict[int, Any] = {}
    with working(script(skeleton(INVERTS))) as editor:

        def ask(value: int) -> None:
            found[value] = editor.edit(a_request(str(value), value=value)).image

        threads = [threading.Thread(target=ask, args=(value,)) for value in range(10, 18)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert {value: int(image[3, 3, 0]) for value, image in found.items()} == {v: 255 - v for v in range(10, 18)}


def test_whatever_a_library_prints_breaks_nothing(script: Callable[..., Path]) -> None:
    noisy = INVERTS.replace(
        "return ImageOps",
        """print("half a line", end="")
    os.write(1, b'{"type": "done", "id": "1"}\\n\\xff\\xfe')
    os.system("echo from a child; echo '{}'")
    sys.stdin.read()  # a library that asks a question gets no answer, and takes no message of ours
    return ImageOps""",
    )
    with working(script(skeleton(noisy))) as editor:
        edits = [editor.edit(a_request(case)) for case in "ab"]
    assert [edit.status for edit in edits] == ["ok", "ok"]


BARE = """
import json, os, sys, shutil

def made(act, *arguments):
    act(*arguments)
    return arguments[-1]

print("Loading 12 files...")
print("a note without a line break ", end="")
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        print(json.dumps({"type": "ready"}))
    elif asked["type"] == "edit":
        print("[1, 2, 3]"); print("{not json}"); print('{"no": "type"}')
        print(json.dumps({"type": "log", "text": "x"}))
        print(json.dumps({"type": "done", "id": "of nobody"})); print(json.dumps({"type": "surprise"}))
        shutil.copy(asked["images"][0], asked["out"])
        print("100%", end=""); print(json.dumps({"type": "done", "id": asked["id"], **ANSWER}))
    sys.stdout.flush()
"""


def test_a_worker_without_the_skeleton_may_print_between_its_messages(script: Callable[..., Path]) -> None:
    with working(script(BARE.replace("ANSWER", '{"latency_s": float("nan"), "memory_mb": 12}'))) as editor:
        edit = editor.edit(a_request())
    assert edit.status == "ok" and edit.memory_mb == 12
    assert edit.latency_s is not None and edit.latency_s >= 0, "not a number is not a time"


# --- answers that are none ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "status", "said"),
    [
        ('{"status": "refused", "reason": "not this one"}', "refused", "not this one"),
        ('{"status": "no_output", "trace": "I would rather talk."}', "no_output", None),
        ('{"status": "splendid"}', "error", "its status is 'splendid'"),
        ('{"image": "/etc/passwd"}', "error", "not in the folder"),
        ('{"image": asked["images"][0] + "/../../../other.png"}', "error", "not in the folder"),
        ('{"image": made(os.symlink, "/etc/passwd", asked["out"] + ".ln")}', "error", "not in the folder"),
        ('{"image": made(os.mkfifo, asked["out"] + ".pipe")}', "no_output", "not a file"),
        ('{"image": "missing.png"}', "no_output", "does not exist"),
        ('{"image": [open(asked["out"], "wb").close(), asked["out"]][1]}', "no_output", "zero bytes"),
        ('{"image": [open(asked["out"], "w").write("sorry"), asked["out"]][1]}', "no_output", "not a picture"),
    ],
)
def test_an_answer_without_a_picture_has_a_status_and_a_reason(
    script: Callable[..., Path], answer: str, status: str, said: str | None
) -> None:
    with working(script(BARE.replace("ANSWER", answer))) as editor:
        edit = editor.edit(a_request())
    assert edit.status == status and edit.image is None
    assert said is None or said in (edit.reason or "")


def test_an_exception_is_the_error_of_that_edit_alone(script: Callable[..., Path]) -> None:
    raises = INVERTS.replace(
        "return ImageOps", 'if request.case == "bad": raise RuntimeError("out of luck")\n    return ImageOps'
    )
    with working(script(skeleton(raises))) as editor:
        bad, good = editor.edit(a_request("bad")), editor.edit(a_request("good"))
    assert (bad.status, bad.reason, good.status) == ("error", "RuntimeError: out of luck", "ok")


# --- deaths ---------------------------------------------------------------------------------------------------

DIES_ONCE = INVERTS.replace(
    "return ImageOps",
    """mark = Path(__file__).with_name("died-" + request.case)
    if request.case.startswith("bad") and (request.case.endswith("ever") or not mark.exists()):
        mark.touch()
        print("a double free, says the driver", file=sys.stderr)
        sys.stderr.flush()
        os.kill(os.getpid(), 11)
    return ImageOps""",
)


def test_a_worker_that_died_is_started_again_and_the_edit_made(script: Callable[..., Path]) -> None:
    with working(script(skeleton(DIES_ONCE))) as editor:
        edits = [editor.edit(a_request(case)) for case in ("a", "bad", "c")]
    assert [edit.status for edit in edits] == ["ok"] * 3
    assert [len(edit.notes) for edit in edits] == [0, 1, 0] and "started again" in edits[1].notes[0]


def test_an_edit_that_kills_twice_is_an_error_with_the_last_words(script: Callable[..., Path]) -> None:
    with working(script(skeleton(DIES_ONCE))) as editor:
        with pytest.raises(Exception, match=r"died again after a restart \(signal 11\).*a double free") as raised:
            editor.edit(a_request("bad-for-ever"))
        assert "a double free" in "".join(raised.value.__notes__)
        assert editor.edit(a_request("good")).status == "ok"


def test_of_a_batch_only_the_edit_that_kills_is_lost(script: Callable[..., Path]) -> None:
    body = (
        DIES_ONCE.replace('"inverter", ', '"inverter", "batch": 4, ')
        + "\ndef edit_batch(all):\n    return [edit(one) for one in all]\n"
    )
    with working(script(skeleton(body))) as editor:
        edits = editor.edit_batch([a_request(case) for case in ("a", "bad-for-ever", "c")])
    assert [edit.status for edit in edits] == ["ok", "error", "ok"]
    assert "a double free" in (edits[1].reason or "")


def test_a_worker_that_always_dies_stops_the_run_and_says_why(script: Callable[..., Path]) -> None:
    with working(script(skeleton(DIES_ONCE))) as editor:
        for number in range(GIVE_UP // 2):
            with pytest.raises(Exception, match="died again"):
                editor.edit(a_request(f"bad-{number}-for-ever"))
        with pytest.raises(Stopped, match=rf"failed {GIVE_UP} times in a row .*a double free"):
            editor.edit(a_request("bad-last-for-ever"))


def test_an_edit_that_takes_too_long_is_ended_with_all_its_children(
    script: Callable[..., Path], tmp_path: Path
) -> None:
    hangs = INVERTS.replace(
        "return ImageOps",
        """if request.case == "slow":
        child = __import__("subprocess").Popen(["sleep", "1000"])
        Path(__file__).with_name("child").write_text(str(child.pid))
        time.sleep(1000)
    return ImageOps""",
    )
    with working(script(skeleton(hangs)), timeout=6.0) as editor:
        with pytest.raises(Exception, match="timed out after 6 s"):
            editor.edit(a_request("slow"))
        assert ended(int((tmp_path / "child").read_text()))
        assert editor.edit(a_request("good")).status == "ok"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ImportError('no module of that name')", "died while starting .exit code 1.*no module of that name"),
        ("import sys; sys.exit(0)", "died while starting .exit code 0."),
        ("import time; time.sleep(1000)", "not ready after 0.5 s"),
        ('print(\'{"type": "ready", "protocol": 9}\', flush=True); input()', "version 9 of the protocol"),
        ('print(\'{"type": "ready", "batch": "many"}\', flush=True); input()', "batch is 'many'"),
        ('print(\'{"type": "unfit", "reason": "no GPU here"}\', flush=True); input()', "no GPU here"),
    ],
)
def test_a_worker_that_does_not_start_is_bad_input(script: Callable[..., Path], body: str, said: str) -> None:
    with pytest.raises(BadInput, match=said), working(script(body), startup=0.5 if "sleep" in body else 300):
        pass


def test_a_misspelled_option_is_said_before_anything_is_edited(script: Callable[..., Path]) -> None:
    with pytest.raises(BadInput, match="has no option 'thnk'; it has strength"), working(script(SKELETON), thnk=1):
        pass


def test_an_orphaned_worker_leaves_in_the_middle_of_an_edit(script: Callable[..., Path], tmp_path: Path) -> None:
    hangs = INVERTS.replace(
        "return ImageOps",
        """Path(__file__).with_name("folder").write_text(str(Path(request.out).parents[1]))
    Path(__file__).with_name("pid").write_text(str(os.getpid()))
    time.sleep(1000)
    return ImageOps""",
    )
    path = script(skeleton(hangs))
    asks = f"""
import numpy as np
from editscope.editors import Request, load_editor
editor = load_editor("worker:{sys.executable} {path}")
editor.load()
editor.edit(Request("a", (np.zeros((4, 4, 3), np.uint8),), "Wait.", 1))
"""
    parent = subprocess.Popen([sys.executable, "-c", asks])
    pid = int(wait_for(tmp_path / "pid"))
    parent.kill()
    parent.wait()
    for _ in range(60_000):
        if ended(pid):
            assert not Path((tmp_path / "folder").read_text()).exists(), "its pictures outlived it"
            return
        threading.Event().wait(0.01)
    os.kill(pid, signal.SIGKILL)
    raise AssertionError("the worker outlived the process that asked it")


# --- before anything starts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("worker:no-such-program x.py", "'no-such-program' of the worker does not exist"),
        ("worker:./no/python x.py", "'./no/python' of the worker does not exist"),
        (f"worker:{sys.executable} no_worker.py", "editscope worker new no_worker.py"),
        (f"worker:{sys.executable} no_worker.py?cwd=/no/where", "not a folder"),
        ("worker:python 'x.py", "check its quotes"),
        ("worker:python x.py?gpus=0", "gpus of a worker is 0"),
        ("worker:python x.py?gpus=2&workers=2", "not both"),
        ("worker:python x.py?startup=soon", "startup of a worker is 'soon'"),
    ],
)
def test_a_command_that_cannot_work_is_one_sentence(spec: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load_editor(spec).check()


def test_a_spec_says_how_many_processes_and_what_they_are_called(script: Callable[..., Path]) -> None:
    editor = load_editor("worker:python work/bagel_worker.py?think=1&gpus=4")
    assert (editor.workers, editor.gpu, editor.name, editor.own_clock) == (4, True, "bagel_worker-think=1", True)
    assert load_editor("worker:python w.py?name=BAGEL&workers=2").name == "BAGEL"
    assert editor.free, "an edit made at home may be made again"


def test_a_file_takes_all_that_a_worker_prints(script: Callable[..., Path], tmp_path: Path) -> None:
    with working(
        script(skeleton(INVERTS.replace("return Image", "print('edit of', request.case)\n    return Image"))),
        log=tmp_path / "w.log",
    ) as editor:
        editor.edit(a_request("a"))
    assert "edit of a" in (tmp_path / "w.log").read_text()


def test_the_skeleton_makes_one_edit_by_itself(script: Callable[..., Path], tmp_path: Path) -> None:
    from editscope.images import load, write_png

    write_png(tmp_path / "in.png", a_request().arrays[0])
    path = str(script(skeleton(INVERTS)))
    command = [sys.executable, path, "try", str(tmp_path / "in.png"), "Invert.", str(tmp_path / "out.png")]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert '"image"' in told.stdout
    assert np.array_equal(load(tmp_path / "out.png"), 255 - a_request().arrays[0])
