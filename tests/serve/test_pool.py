"""Requests take turns: equal shares of each batch, and a place is free again within one."""

import asyncio

import pytest

from rhetree.serve.analysis import analyse_texts
from rhetree.serve.failures import Failure
from rhetree.serve.pool import MOST_UNSENT, Ask, Pool
from rhetree.serve.requests import ParseBody
from rhetree.serve.settings import ServeSettings
from support.fake_model import fake_parser
from support.serving import TEXT, HeldJoining, HeldNetwork, joining_over, parser_over, wait_until


def ask_for(sentences, **options):
    """Work that has the readings of sentences as its answer."""
    readings = yield Ask(sentences, **options)
    yield str([reading[0].log_prob for reading in readings]).encode()


def sentences_of(word, n, length=4):
    return [[word, str(number), *["x"] * (length - 2)] for number in range(n)]


async def answer_of(task):
    return [piece async for piece in task.pieces()]


def run(scenario, analyser=None, **settings):
    """Run a coroutine over a pool that is closed afterwards."""

    async def whole():
        pool = Pool(analyser or fake_parser().pipeline, **{"workers": 1, "slice_tokens": 40, **settings})
        try:
            return await asyncio.wait_for(scenario(pool), 60)
        finally:
            await asyncio.to_thread(pool.close)

    return asyncio.run(whole())


def test_a_short_request_overtakes_a_long_one_and_shares_its_batches():
    network = HeldNetwork()

    async def scenario(pool):
        long = pool.submit(ask_for(sentences_of("long", 100)))
        await asyncio.to_thread(wait_until, lambda: len(network.batches) == 1)
        short = pool.submit(ask_for(sentences_of("short", 1)))
        network.go.release()  # the batch in which the long one was alone
        await asyncio.to_thread(wait_until, lambda: len(network.batches) == 2)
        assert {sentence.split()[0] for sentence in network.batches[1]} == {"long", "short"}
        network.go.release()
        assert len(await answer_of(short)) == 1
        assert len(network.batches) < 5
        network.release()
        return await answer_of(long)

    (found,) = run(scenario, parser_over(network).pipeline)
    assert found.count(b",") == 99
    assert all(sum(len(sentence.split()) for sentence in batch) <= 40 for batch in network.batches)


def test_a_short_request_is_answered_between_the_steps_in_which_a_document_is_joined():
    network = HeldJoining()
    parser = joining_over(network)

    async def scenario(pool):
        whole = ParseBody(text=TEXT, level="document")
        joining = pool.submit(analyse_texts(whole, parser, ServeSettings()))
        await asyncio.to_thread(wait_until, lambda: network.n_steps == 1)
        short = asyncio.ensure_future(answer_of(pool.submit(ask_for(sentences_of("short", 1)))))
        while not short.done():
            network.go.release()
            await asyncio.sleep(0.01)
        assert len(short.result()) == 1
        assert network.n_steps < network.N_STEPS / 2
        network.go.release(network.N_STEPS)
        return await answer_of(joining)

    assert len(run(scenario, parser.pipeline)) == 1


def test_joining_ends_within_a_step_of_being_cancelled():
    network = HeldJoining()
    parser = joining_over(network)

    async def scenario(pool):
        whole = ParseBody(text=TEXT, level="document")
        joining = pool.submit(analyse_texts(whole, parser, ServeSettings()))
        await asyncio.to_thread(wait_until, lambda: network.n_steps == 1)
        joining.cancel()
        network.go.release(network.N_STEPS)
        await asyncio.to_thread(wait_until, lambda: pool.n_tasks == 0)
        assert await answer_of(joining) == []

    run(scenario, parser.pipeline)
    assert network.n_steps == 1


def test_what_shares_a_batch_changes_no_reading():
    async def alone_and_together(pool):
        alone = [await answer_of(pool.submit(ask_for(sentences_of(word, 7)))) for word in "abc"]
        tasks = [pool.submit(ask_for(sentences_of(word, 7))) for word in "abc"]
        return alone, [await answer_of(task) for task in tasks]

    alone, together = run(alone_and_together, workers=3, slice_tokens=20)
    assert alone == together


def test_requests_of_different_kinds_do_not_share_batches():
    network = HeldNetwork()

    async def scenario(pool):
        held = pool.submit(ask_for(sentences_of("held", 1)))
        await asyncio.to_thread(wait_until, lambda: network.batches)
        tasks = [
            pool.submit(ask_for(sentences_of(name, 1), trees=name == "trees")) for name in ("trees", "edus")
        ]
        network.release()
        return [await answer_of(task) for task in [held, *tasks]]

    run(scenario, parser_over(network).pipeline)
    assert [len(batch) for batch in network.batches] == [1, 1, 1]


def test_a_sentence_longer_than_a_batch_goes_alone():
    network = HeldNetwork(held=False)

    async def scenario(pool):
        return await answer_of(pool.submit(ask_for(sentences_of("long", 3, length=90))))

    run(scenario, parser_over(network).pipeline)
    assert [len(batch) for batch in network.batches] == [1, 1, 1]


def test_only_the_request_that_is_to_blame_fails():
    network = HeldNetwork()

    async def scenario(pool):
        first = pool.submit(ask_for(sentences_of("first", 1)))
        await asyncio.to_thread(wait_until, lambda: network.batches)
        tasks = [pool.submit(ask_for(sentences_of(word, 1))) for word in ("good", "poison", "fine")]
        await asyncio.sleep(0.05)
        network.release()
        assert await answer_of(first)
        with pytest.raises(ArithmeticError):
            await answer_of(tasks[1])
        assert await answer_of(tasks[0])
        assert await answer_of(tasks[2])
        wait_until(lambda: pool.n_tasks == 0)

    run(scenario, parser_over(network).pipeline)


def test_a_request_that_is_cancelled_ends_within_a_batch():
    network = HeldNetwork()

    async def scenario(pool):
        running = pool.submit(ask_for(sentences_of("running", 100)))
        await asyncio.to_thread(wait_until, lambda: network.batches)
        waiting = pool.submit(ask_for(sentences_of("waiting", 100)))
        waiting.cancel()
        assert pool.n_tasks == 1
        running.cancel()
        network.go.release()
        await asyncio.to_thread(wait_until, lambda: pool.n_tasks == 0)
        assert await answer_of(running) == await answer_of(waiting) == []

    run(scenario, parser_over(network).pipeline)
    assert len(network.batches) == 1


def test_work_waits_for_a_client_that_does_not_read():
    made: list[int] = []

    def endless():
        while len(made) < 10 * MOST_UNSENT:
            made.append(1)
            yield b"piece"

    async def scenario(pool):
        task = pool.submit(endless())
        await asyncio.to_thread(wait_until, lambda: task.is_paused)
        assert len(made) == MOST_UNSENT
        pieces = task.pieces()
        assert await anext(pieces) == b"piece"
        await asyncio.to_thread(wait_until, lambda: task.is_paused)
        assert len(made) == MOST_UNSENT + 1
        assert len([piece async for piece in pieces]) == 10 * MOST_UNSENT - 1
        other = pool.submit(endless_again())
        await asyncio.to_thread(wait_until, lambda: other.is_paused)
        other.cancel()
        assert pool.n_tasks == 0

    def endless_again():
        while True:
            yield b"piece"

    run(scenario)


def test_what_the_work_raises_reaches_the_client():
    def fails():
        yield b"begin"
        raise KeyError("x")

    async def scenario(pool):
        pieces = pool.submit(fails()).pieces()
        assert await anext(pieces) == b"begin"
        with pytest.raises(KeyError):
            await anext(pieces)

    run(scenario)


def test_a_pool_that_closes_ends_what_is_not_done_and_takes_no_more():
    network = HeldNetwork()

    async def scenario(pool):
        task = pool.submit(ask_for(sentences_of("long", 100)))
        await asyncio.to_thread(wait_until, lambda: network.batches)
        closing = asyncio.ensure_future(asyncio.to_thread(pool.close))
        await asyncio.sleep(0.05)
        network.go.release()
        await closing
        with pytest.raises(Failure, match="about to stop"):
            await answer_of(task)
        assert not pool.is_alive
        with pytest.raises(RuntimeError, match="closed"):
            pool.submit(ask_for([]))

    run(scenario, parser_over(network).pipeline)
    assert len(network.batches) == 1
