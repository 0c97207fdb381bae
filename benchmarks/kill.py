"""Kills and faults at random points: what is on disk is the old or the new, and going on ends in the same bytes.

    python benchmarks/kill.py --trials 450 --seed 1 --seconds 2200 --ray 4

Each trial runs a job in a process of its own, whose changes of the output folder are counted by a preloaded library
(faults.c, compiled with cc). At a random change the process is killed (before it, or in the middle of a write), the
file system refuses once (EIO), or the disk is full from there on (ENOSPC). Then what is there is checked, the job is
resumed or run again without faults, and its output is compared with that of a run that nothing disturbed.
With --ray N, N more runs on a real Ray cluster of this machine lose their driver at a random moment.
"""

import argparse
import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

MODES = {"killed": 1, "killed in a write": 2, "refused once": 3, "disk full": 4}
COUNT = 5
_ARMED = "RHETREE_FAULTS"

TEXTS = [
    "He left early because it rained, and nobody saw him again.",
    "If prices fall, the company will close the plant, which employs 300 people.",
    "It rained. We stayed at home, since nobody likes the rain.",
    "She said that she would come, but she did not.",
    "Although it was late, they went on.",
]


class BrokenPromiseError(Exception):
    """A promise that was not kept."""


@dataclass
class Scene:
    """A job that is disturbed: ``first`` and ``again`` are command lines, or functions of the trial's folder."""

    name: str
    first: Callable[[Path], object]
    again: Callable[[Path], object]
    results: tuple[str, ...]
    """What is compared in the end: files, and folders with all that is not hidden in them."""
    between: Callable[[dict, dict, dict], None]
    """Raises :class:`BrokenPromiseError` if what is there after a fault is neither old nor new."""
    prepare: Callable[[Path], None] = lambda _: None
    share: int = 1
    """How many trials it gets for each of the others'."""
    n_changes: int = 0
    expected: dict = field(default_factory=dict)
    old: dict = field(default_factory=dict)
    counts: Counter = field(default_factory=Counter)


def content(top: Path, names: tuple[str, ...]) -> dict[str, bytes]:
    """The files of a result by their names; temporary ones, which begin with a dot, are none of it."""
    found = {}
    for name in names:
        place = top / name
        paths = [place] if place.is_file() else sorted(place.rglob("*")) if place.is_dir() else []
        for path in paths:
            relative = path.relative_to(top)
            if path.is_file() and not any(part.startswith(".") for part in relative.parts):
                found[str(relative)] = path.read_bytes()
    return found


def is_prefix(found: dict, expected: dict, _old: dict) -> None:
    """Lines are added one by one: what is there is the beginning of what will be."""
    for name, data in found.items():
        if not expected.get(name, b"").startswith(data):
            raise BrokenPromiseError(
                f"{name}: {len(data)} bytes are not the first of those that an undisturbed run writes"
            )


def each_old_or_new(found: dict, expected: dict, old: dict) -> None:
    """Each file appears whole."""
    for name, data in found.items():
        if data not in (expected.get(name), old.get(name)):
            raise BrokenPromiseError(f"{name}: neither the old file nor the new one")
    for name in old:
        if name not in found:
            raise BrokenPromiseError(f"{name}: the old file is gone, and there is no new one")


def all_old_or_new(found: dict, expected: dict, old: dict) -> None:
    """The folder is replaced as a whole."""
    if found not in (expected, old):
        raise BrokenPromiseError(f"neither the old folder nor the new one: {sorted(found)}")


def no_promise(_found: dict, _expected: dict, _old: dict) -> None:
    """A run's own folder, which resuming puts right."""


class Child:
    """Runs a job in a process that has everything imported already."""

    def __init__(self, faults: ctypes.CDLL, scratch: Path) -> None:
        self._faults = faults
        self._told = scratch / "told"
        self._seen = scratch / "seen"

    def run(
        self,
        job: Callable[[], object],
        folder: Path,
        mode: int = 0,
        at: int = 0,
        meanwhile: Callable[[int], None] | None = None,
    ) -> "Ended":
        pid = os.fork()
        if pid == 0:
            code = 99
            try:
                os.setsid()
                told = os.open(self._told, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
                os.dup2(told, 1)
                os.dup2(told, 2)
                if mode:
                    self._faults.faults_arm(os.fsencode(folder), mode, at)
                result = job()
                code = result if isinstance(result, int) else 0
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                n_seen = self._faults.faults_seen()
                self._faults.faults_arm(b"", 0, 0)
                self._seen.write_text(str(n_seen), encoding="utf-8")
                os._exit(code)
        if meanwhile is not None:
            meanwhile(pid)
        _, status = os.waitpid(pid, 0)
        with suppress(ProcessLookupError):
            os.killpg(
                pid, signal.SIGKILL
            )  # workers that a killed parent left: they end by themselves, but later
        return Ended(os.waitstatus_to_exitcode(status), self._told.read_text(encoding="utf-8"), self._seen)


@dataclass
class Ended:
    code: int
    told: str
    seen: Path

    def n_changes(self) -> int:
        return int(self.seen.read_text(encoding="utf-8"))


def command(*arguments: object) -> Callable[[], int]:
    from rhetree.cli.main import main

    return lambda: main([str(argument) for argument in arguments])


def scenes(home: Path, names: list[str]) -> list[Scene]:
    """The jobs; what they read is written below ``home``."""
    inputs = home / "in.jsonl"
    lines = [{"id": str(n), "text": TEXTS[n % 5], "k": n} for n in range(12)]
    inputs.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = [
        Scene(
            "parse, one file",
            lambda top: command("parse", inputs, "-o", top / "out.jsonl", "--threads", 1),
            lambda top: command("parse", inputs, "-o", top / "out.jsonl", "--threads", 1, "--resume"),
            ("out.jsonl", "out.jsonl.run"),
            is_prefix,
            share=4,
        ),
        Scene(
            "parse, gzip",
            lambda top: command("parse", inputs, "-o", top / "out.jsonl.gz", "--overwrite"),
            lambda top: command("parse", inputs, "-o", top / "out.jsonl.gz", "--overwrite"),
            ("out.jsonl.gz",),
            each_old_or_new,
            lambda top: (top / "out.jsonl.gz").write_bytes(b"the old file\n") and None,
            share=2,
        ),
        Scene(
            "parse, a folder",
            lambda top: command("parse", inputs, "-o", top / "out", "--format", "json"),
            lambda top: command("parse", inputs, "-o", top / "out", "--format", "json", "--resume"),
            ("out",),
            each_old_or_new,
            share=4,
        ),
        Scene(
            "parse, a table",
            lambda top: command("parse", inputs, "-o", top / "out.csv", "--overwrite"),
            lambda top: command("parse", inputs, "-o", top / "out.csv", "--overwrite"),
            ("out.csv",),
            each_old_or_new,
            lambda top: (top / "out.csv").write_bytes(b"the old file\n") and None,
            share=2,
        ),
        Scene(
            "parse, shards",
            lambda top: _shards(inputs, top, "refuse"),
            lambda top: _shards(inputs, top, "resume"),
            ("out",),
            each_old_or_new,
            share=4,
        ),
        Scene(
            "parse, 2 workers",
            lambda top: command("parse", inputs, "-o", top / "out.jsonl", "--workers", 2),
            lambda top: command("parse", inputs, "-o", top / "out.jsonl", "--workers", 2, "--resume"),
            ("out.jsonl", "out.jsonl.run"),
            is_prefix,
        ),
        Scene(
            "convert",
            lambda top: command("convert", home / "corpus", top / "out", "--to", "rs3", "--overwrite"),
            lambda top: command("convert", home / "corpus", top / "out", "--to", "rs3", "--overwrite"),
            ("out",),
            each_old_or_new,
            lambda top: _old_conversion(top),
            share=4,
        ),
        Scene(
            "train",
            lambda top: _training(home, top),
            lambda top: _training(home, top),
            ("run/model", "run/log.jsonl"),
            no_promise,
            share=2,
        ),
        Scene(
            "export",
            lambda top: command("export", home / "trained" / "model", "-o", top / "model"),
            lambda top: command("export", home / "trained" / "model", "-o", top / "model"),
            ("model",),
            all_old_or_new,
            lambda top: shutil.copytree(home / "older", top / "model") and None,
            share=2,
        ),
    ]
    unknown = set(names) - {scene.name for scene in found}
    if unknown:
        raise SystemExit(
            f"no job is called {', '.join(unknown)}; expected {', '.join(s.name for s in found)}"
        )
    return [scene for scene in found if not names or scene.name in names]


def _shards(inputs: Path, top: Path, if_exists: str) -> Callable[[], object]:
    def run() -> int:
        from rhetree.errors import RhetreeError
        from rhetree.jobs.sources import find_sources
        from rhetree.jobs.work import Task
        from rhetree.scale.engine import ClusterJob, in_this_process
        from rhetree.scale.shards import ShardTask
        from rhetree.scale.storage import Storage

        task = Task(threads=1)
        model = task.identify_model()
        shard_task = ShardTask(task=task, identity=model, storage=Storage(str(top / "out")))
        job = ClusterJob(
            find_sources(inputs),
            shard_task,
            {"model": model},
            shard_size=300,
            if_exists=if_exists,
            execute=in_this_process,
        )
        try:
            list(job.run())
        except RhetreeError as error:
            print(f"rhetree: {error}")
            return 2
        return 0

    return run


def _old_conversion(top: Path) -> None:
    (top / "out").mkdir()
    for n in range(0, 12, 3):
        (top / "out" / f"{n}.rs3").write_text("the old file\n", encoding="utf-8")


def _training(home: Path, top: Path) -> Callable[[], object]:
    def run() -> object:
        resume = ["--resume"] if (top / "run" / "log.jsonl").exists() else []
        return command("train", home / "recipe.toml", "-o", top / "run", *resume)()

    return run


def write_corpus(home: Path) -> None:
    """A corpus of our own sentences with the shipped model's trees, and a recipe for a network of a few numbers."""
    import rhetree
    from rhetree.formats import write
    from rhetree.learning.training.recipe import read_recipe
    from rhetree.learning.training.settings import as_toml

    parser = rhetree.load(threads=1)
    corpus = home / "corpus"
    corpus.mkdir()
    for n in range(12):
        write(parser.parse(" ".join(TEXTS[n % 5 :] + TEXTS[: n % 5]), name=str(n)), corpus / f"{n}.json")
    (corpus / "train.txt").write_text("".join(f"{n}\n" for n in range(8)), encoding="utf-8")
    (corpus / "dev.txt").write_text("".join(f"{n}\n" for n in range(8, 12)), encoding="utf-8")
    small = [
        "network.embedding.kind=random",
        "network.embedding.width=8",
        "network.embedding.min_count=1",
        "network.encoder.layers=1",
        "network.encoder.width=8",
        "network.segmenter.layers=1",
        "network.segmenter.width=8",
        "network.parser.layers=1",
        "network.parser.width=8",
        "network.classifier.width=8",
        "train.epochs=2",
        "train.batch_size=20",
        "train.checkpoint_steps=1",
        "train.threads=1",
        f"data.corpus={corpus}",
    ]
    (home / "recipe.toml").write_text(as_toml(read_recipe(None, small)), encoding="utf-8")


def trial(scene: Scene, child: Child, top: Path, mode: str, draw: random.Random) -> None:
    """One fault, what is there after it, and going on."""
    shutil.rmtree(top, ignore_errors=True)
    top.mkdir()
    scene.prepare(top)
    at = draw.randint(1, max(1, scene.n_changes))
    ended = child.run(scene.first(top), top, MODES[mode], at)
    where = f"{scene.name}, {mode} at change {at} of {scene.n_changes}"
    if mode.startswith("killed") and ended.code != -signal.SIGKILL and ended.code != 0:
        raise BrokenPromiseError(f"{where}: exit code {ended.code}: {ended.told[-500:]}")
    if not mode.startswith("killed") and (ended.code not in (0, 1, 2) or "Traceback" in ended.told):
        raise BrokenPromiseError(f"{where}: exit code {ended.code}: {ended.told[-1500:]}")
    if ended.code == 0 and mode == "disk full" and at < scene.n_changes - 1 and scene.results[0] != "model":
        scene.counts["not noticed"] += 1
    scene.counts[mode] += 1
    scene.counts["in vain"] += ended.code == 0
    try:
        scene.between(content(top, scene.results), scene.expected, scene.old)
        again = child.run(scene.again(top), top)
        if again.code != 0:
            raise BrokenPromiseError(f"cannot go on, exit code {again.code}: {again.told[-1500:]}")
        if content(top, scene.results) != scene.expected:
            differing = {
                name
                for name in scene.expected.keys() | content(top, scene.results).keys()
                if scene.expected.get(name) != content(top, scene.results).get(name)
            }
            raise BrokenPromiseError(f"other bytes than an undisturbed run: {sorted(differing)}")
    except BrokenPromiseError as error:
        raise BrokenPromiseError(f"{where}: {error}") from None


def kill_worker(draw: random.Random, top: Path) -> Callable[[int], None]:
    """Kills one of the worker processes of a job, some time after its output has begun."""

    def kill(parent: int) -> None:
        deadline = time.monotonic() + 60
        while not (top / "out.jsonl").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(draw.random() * 2)
        workers = [pid for pid in _children(parent) if "resource_tracker" not in _command_line(pid)]
        if workers:
            with suppress(ProcessLookupError):
                os.kill(draw.choice(workers), signal.SIGKILL)

    return kill


def _children(parent: int) -> list[int]:
    with suppress(OSError):
        names = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="utf-8").split()
        return [int(name) for name in names]
    return []


def _command_line(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
    return ""


def worker_trial(scene: Scene, child: Child, top: Path, draw: random.Random) -> None:
    shutil.rmtree(top, ignore_errors=True)
    top.mkdir()
    ended = child.run(scene.first(top), top, meanwhile=kill_worker(draw, top))
    scene.counts["worker killed"] += 1
    scene.counts["in vain"] += ended.code == 0
    if ended.code not in (0, 2) or "Traceback" in ended.told:
        raise BrokenPromiseError(
            f"{scene.name}, a worker killed: exit code {ended.code}: {ended.told[-1500:]}"
        )
    scene.between(content(top, scene.results), scene.expected, scene.old)
    again = child.run(scene.again(top), top)
    if again.code != 0 or content(top, scene.results) != scene.expected:
        raise BrokenPromiseError(
            f"{scene.name}, a worker killed: cannot go on, or other bytes: {again.told[-1500:]}"
        )


def ray_trials(home: Path, n: int, draw: random.Random) -> Counter:
    """Runs on a Ray cluster of this machine whose driver is killed; then the run is resumed."""
    counts: Counter = Counter()
    inputs = home / "many.jsonl"
    lines = [{"id": str(number), "text": " ".join(TEXTS)} for number in range(400)]
    inputs.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    program = [sys.executable, "-m", "rhetree", "parse", str(inputs)]
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", _ARMED)}
    subprocess.run([*program, "-o", str(home / "one.jsonl")], env=environment, check=True)
    for number in range(n):
        out = home / f"ray-{number}"
        ray = [*program, "--engine", "ray", "--workers", "2", "--shard-size", "4000", "-o", str(out)]
        run = subprocess.Popen(ray, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        target = draw.randint(0, 20)
        while run.poll() is None and len(list((out / ".shards").glob("part-*.json"))) < target:
            time.sleep(0.05)
        run.kill()
        run.wait()
        counts["killed"] += 1
        again = subprocess.run([*ray, "--resume"], env=environment, capture_output=True, text=True)
        whole = b"".join(path.read_bytes() for path in sorted(out.glob("part-*.jsonl")))
        if again.returncode != 0 or whole != (home / "one.jsonl").read_bytes():
            raise BrokenPromiseError(
                f"parse on Ray, driver killed at {target} shards: {again.stderr[-1500:]}"
            )
    return counts


def rows(found: list[Scene], ray: Counter) -> Iterator[str]:
    """The table of docs/reliability.md."""
    columns = [*MODES, "worker killed"]
    yield f"| job | changes of its folder | {' | '.join(columns)} | came too late | broken |"
    yield f"| --- |{' --- |' * (len(columns) + 3)}"
    total: Counter = Counter()
    for scene in found:
        counts = scene.counts
        total += counts
        cells = " | ".join(str(counts[column]) for column in columns)
        yield f"| {scene.name} | {scene.n_changes} | {cells} | {counts['in vain']} | {counts['broken']} |"
    if ray:
        yield f"| parse, Ray, the driver | | {ray['killed']} | 0 | 0 | 0 | 0 | 0 | 0 |"
        total += ray
    cells = " | ".join(str(total[column]) for column in columns)
    yield f"| **all** | | {cells} | {total['in vain']} | {total['broken']} |"


def campaign(args: argparse.Namespace) -> int:
    draw = random.Random(args.seed)
    faults = ctypes.CDLL(os.environ["LD_PRELOAD"])
    faults.faults_seen.restype = ctypes.c_long
    faults.faults_arm.argtypes = (ctypes.c_char_p, ctypes.c_int, ctypes.c_long)
    deadline = time.monotonic() + args.seconds
    with tempfile.TemporaryDirectory(prefix="rhetree-kill-") as place:
        home = Path(place)
        prepare(home, args.jobs)
        found = scenes(home, args.jobs)
        child = Child(faults, home)
        top = home / "trial"
        for scene in found:
            undisturbed(scene, child, top)
        print(f"{len(found)} jobs, seed {args.seed}", flush=True)
        weighted = [scene for scene in found for _ in range(scene.share)]
        broken = 0
        for number in range(args.trials):
            if time.monotonic() > deadline:
                print(f"out of time after {number} trials")
                break
            scene = weighted[number % len(weighted)]
            mode = draw.choice(list(MODES))
            try:
                if scene.name.endswith("workers") and draw.random() < 0.6:
                    worker_trial(scene, child, top, draw)
                else:
                    trial(scene, child, top, mode, draw)
            except BrokenPromiseError as error:
                scene.counts["broken"] += 1
                broken += 1
                print(f"BROKEN {error}", flush=True)
        ray: Counter = Counter()
        try:
            ray = ray_trials(home, args.ray, draw) if args.ray else ray
        except BrokenPromiseError as error:
            broken += 1
            print(f"BROKEN {error}", flush=True)
        print("\n".join(rows(found, ray)))
    return 1 if broken else 0


def undisturbed(scene: Scene, child: Child, top: Path) -> None:
    """Run a job without a fault: what it writes, and in how many changes."""
    shutil.rmtree(top, ignore_errors=True)
    top.mkdir()
    scene.prepare(top)
    scene.old = content(top, scene.results)
    ended = child.run(scene.first(top), top, COUNT, 0)
    if ended.code != 0:
        raise SystemExit(f"{scene.name}: fails by itself: {ended.told}")
    scene.n_changes = ended.n_changes()
    scene.expected = content(top, scene.results)


def prepare(home: Path, names: list[str]) -> None:
    """Import everything, load the model once for all children, and write what jobs read."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    import rhetree.runtime.parser

    needs_training = not names or {"train", "export", "convert"} & set(names)
    if needs_training:
        import torch

        import rhetree.cli.train
        import rhetree.learning.export
        import rhetree.learning.training.experiment

        torch.set_num_threads(1)
        write_corpus(home)
    load = rhetree.runtime.parser.load
    loaded: dict[object, object] = {}

    def load_once(model=None, **settings):
        key = (model, *sorted(settings.items()))
        if key not in loaded:
            loaded[key] = load(model, **{**settings, "threads": 1})
        return loaded[key]

    rhetree.runtime.parser.load = load_once
    for threads in (0, 1):
        load_once(None, threads=threads, beam=1, batch_cost=rhetree.runtime.parser.BATCH_COST, device=None)
    if needs_training and (not names or "export" in names):
        for arguments in (
            ["train", home / "recipe.toml", "-o", home / "trained"],
            ["export", home / "trained" / "model", "-o", home / "older", "--weights"],
        ):
            if command(*arguments)() != 0:
                raise SystemExit(f"cannot prepare: rhetree {' '.join(map(str, arguments))}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=400, help="number of faults (default: 400)")
    parser.add_argument("--seconds", type=float, default=1800, help="time budget (default: 1800)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--ray", type=int, default=0, metavar="N", help="also kill N drivers of a real Ray cluster"
    )
    parser.add_argument("--jobs", nargs="*", default=[], metavar="NAME", help="only these jobs")
    args = parser.parse_args()
    if _ARMED in os.environ:
        return campaign(args)
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        raise SystemExit("needs Linux and a C compiler called cc")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "faults.so")
        source = Path(__file__).with_name("faults.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        environment = {**os.environ, "LD_PRELOAD": str(library), _ARMED: "1", "OMP_NUM_THREADS": "1"}
        return subprocess.run([sys.executable, __file__, *sys.argv[1:]], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
