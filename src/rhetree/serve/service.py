"""One running service: the parser, the threads that use it, its places and counters."""

from typing import Any

from rhetree.domain.levels import LEVELS, Level
from rhetree.errors import ModelError
from rhetree.runtime.parser import Parser
from rhetree.serve.guard import Places
from rhetree.serve.observations import Observations
from rhetree.serve.pool import Pool
from rhetree.serve.settings import ServeSettings

_TASKS = {"joint": ["segment", "parse"]}
"""What a model can do, if that is not its task alone."""


class Service:
    """What routes share. It works between :meth:`start` and :meth:`stop`."""

    def __init__(self, parser: Parser, settings: ServeSettings) -> None:
        self.parser = parser
        self.settings = settings
        self.places = Places(settings)
        self.observations = Observations(settings.places)
        self.observations.watch_places(lambda: self.places.n_taken)
        self._pool: Pool | None = None
        self._levels: tuple[Level, ...] = ()

    @property
    def pool(self) -> Pool:
        """The worker threads."""
        if self._pool is None:
            raise RuntimeError("the service was not started; its application needs ASGI's lifespan")
        return self._pool

    def start(self) -> None:
        """Load the model that joins sentences, if one fits, and start the worker threads."""
        self._levels = self._find_levels()
        self._pool = Pool(
            self.parser.pipeline,
            workers=self.settings.workers,
            slice_tokens=self.settings.slice_tokens,
            on_batch=self.observations.ran_batch,
        )

    def stop(self) -> None:
        """Take no more requests, and end the threads after the batches that they are at."""
        self.places.is_closed = True
        self.pool.close()

    @property
    def is_alive(self) -> bool:
        """Whether every worker runs."""
        return self._pool is not None and self._pool.is_alive

    @property
    def is_ready(self) -> bool:
        """Whether requests are taken."""
        return self.is_alive and not self.places.is_closed

    def model_facts(self) -> dict[str, Any]:
        """What a client may know about the model; where its folder is does not concern it."""
        model = self.parser.model
        return {
            "name": model.name,
            "abilities": _TASKS.get(model.task, [model.task]),
            "levels": list(self._levels),
            "labels": list(model.labels),
            "scores": model.about.get("scores", {}),
        }

    def _find_levels(self) -> tuple[Level, ...]:
        """How far up the trees can go that this service finds."""
        try:
            self.parser.require("parse")
        except ModelError:
            return ()
        try:
            self.parser.document_model()
        except ModelError:
            return ("sentence",)
        return LEVELS
