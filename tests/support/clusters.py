"""Jobs of a cluster as tests run them: small shards, and workers that need no model."""

from rhetree.scale.engine import ClusterJob, in_this_process
from rhetree.scale.shards import ShardTask
from rhetree.scale.storage import Storage
from support.worker_tasks import ClusterTask

SETTINGS = {"model": "play 1"}


def job(sources, place, folder, *, execute=in_this_process, settings=SETTINGS, task=None, **options):
    """A job whose workers do what texts say.

    :param folder: where workers write who does what
    """
    folder.mkdir(exist_ok=True)
    task = task or ClusterTask(folder=str(folder))
    own = {name: options.pop(name) for name in ("format", "edu_texts") if name in options}
    shard_task = ShardTask(task=task, identity="play 1", storage=Storage(str(place)), **own)
    options = {"shard_size": 200, **options}
    return ClusterJob(sources, shard_task, settings, execute=execute, **options)


def content(storage):
    """All that a finished run leaves, by name."""
    names = [*storage.names(), *(f".shards/{name}" for name in storage.names(".shards"))]
    return {name: storage.read(name) for name in names if name != ".shards"}


def done(folder):
    """How often each record was worked on, by any process."""
    counts: dict[str, int] = {}
    for path in folder.iterdir():
        for name in path.read_text(encoding="utf-8").split():
            counts[name] = counts.get(name, 0) + 1
    return counts
