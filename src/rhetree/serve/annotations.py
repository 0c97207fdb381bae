"""The work of ``/v1/convert``, ``/v1/draw`` and ``/v1/score``: annotated documents in; no model is needed."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rhetree.domain.document import Document
from rhetree.draw.picture import PictureConfig, draw
from rhetree.errors import RhetreeError, UnwritableError
from rhetree.formats import OUTPUTS, format_of, write_one
from rhetree.formats.format import Format, Layer, layers_of
from rhetree.jobs.conversion import Changes, lost_layers
from rhetree.jobs.encoding import encode
from rhetree.metrics.comparability import default_level
from rhetree.metrics.report import evaluate, pair_by_name
from rhetree.serve.answers import Content, failed_item, to_json
from rhetree.serve.documents import check_number, inventory_of, read_annotated
from rhetree.serve.failures import Failure, bad_request, failure_of
from rhetree.serve.pool import Work
from rhetree.serve.requests import TABLE, ConvertBody, DrawBody, File, ScoreBody
from rhetree.serve.settings import ServeSettings


def convert(body: ConvertBody, settings: ServeSettings) -> Work:
    """Write each document or file in another format; the answer says what that format cannot hold."""
    inputs = body.inputs()
    check_number(len(inputs), settings)
    format = None if body.to == TABLE else _output(body.to)
    changes = Changes(relations=inventory_of(body.relations), shape=body.shape, by_sentence=body.by_sentence)

    def converted(number: int) -> bytes:
        documents = read_annotated(inputs[number], f"document {number + 1}", settings)
        if format is None:
            return _as_table([changes.apply(document) for document in documents])
        if len(documents) > 1 and not format.many:
            what = f"a file holds one document, and there are {len(documents)}; send each by itself"
            raise UnwritableError(what, documents[0].name, format.name)
        sink = io.StringIO()
        sink.write(format.header)
        losses: set[Layer] = set()
        for whole in documents:
            document = changes.apply(whole)
            losses |= {*changes.losses(whole), *lost_layers(document, format, looks_again=True)}
            write_one(document, format, sink)
        record = {"id": documents[0].name, "format": format.name, "content": sink.getvalue()}
        return to_json(record | {"losses": [layer.value for layer in Layer if layer in losses]})

    return _each(inputs, body.is_many, converted)


def _output(name: str) -> Format:
    try:
        return format_of("", name, among=OUTPUTS)
    except RhetreeError as error:
        raise bad_request(str(error)) from error


def _as_table(documents: Sequence[Document]) -> bytes:
    """A row for each EDU; trees are in it only as far as EDUs attach to each other."""
    rows = [str(encode(document, TABLE, first=number == 0)) for number, document in enumerate(documents)]
    lost = {layer for document in documents for layer in layers_of(document)} - {Layer.TEXT, Layer.EDUS}
    record = {"id": documents[0].name, "format": TABLE, "content": "".join(rows)}
    return to_json(record | {"losses": [layer.value for layer in Layer if layer in lost]})


def draw_pictures(body: DrawBody, settings: ServeSettings) -> Work:
    """Draw each document, or each beside another analysis of it."""
    inputs, others = body.inputs(), body.others()
    check_number(len(inputs), settings)
    config = PictureConfig(
        shape=body.shape,
        by_sentence=body.by_sentence,
        sentence=None if body.sentence is None else body.sentence - 1,
        theme=body.theme,
        width=body.width,
        scale=body.scale,
    )

    def only(item: File | dict[str, Any], where: str) -> Document:
        documents = read_annotated(item, where, settings)
        if len(documents) > 1:
            raise bad_request(
                f"{where}: a picture shows one document, found {len(documents)}; send each by itself"
            )
        return documents[0]

    def picture(number: int) -> bytes:
        document = only(inputs[number], f"document {number + 1}")
        other = others[number]
        against = None if other is None else only(other, f"document {number + 1} of 'against'")
        try:
            data = draw(document, body.format, config, against)
        except ValueError as error:
            raise bad_request(str(error)) from error
        content = Content(document.name, body.format, data)
        return content.item() if body.is_many else content.alone()

    return _each(inputs, body.is_many, picture)


def score(body: ScoreBody, settings: ServeSettings) -> Work:
    """Score predicted documents against gold ones."""
    inventory = inventory_of(body.relations)
    gold = list(_all(body.gold, "gold", settings))
    yield None
    predicted = list(_all(body.predicted, "predicted", settings))
    yield None
    if not body.is_many and len(gold) == len(predicted) == 1:
        predicted = [replace(predicted[0], name=gold[0].name)]
    gold, predicted = pair_by_name(gold, predicted)
    has_sentences = all(document.sentences for document in gold if document.tokens)
    level = body.level or ("sentence" if has_sentences else default_level(gold, predicted))
    evaluation = evaluate(gold, predicted, level=level, inventory=inventory)
    yield to_json(evaluation.to_dict(per_document=body.per_document, per_relation=body.per_relation))


def _all(items: Any, whose: str, settings: ServeSettings) -> Iterator[Document]:
    many: Sequence[File | dict[str, Any]] = items if isinstance(items, list) else [items]
    check_number(len(many), settings)
    for number, item in enumerate(many, start=1):
        where = f"{whose} {number}" if isinstance(items, list) else whose
        yield from read_annotated(item, where, settings)


def _each(inputs: Sequence[object], is_many: bool, make: Callable[[int], bytes]) -> Work:
    """The answers for all documents; of several, one that fails is a failure in its own place."""
    for number in range(len(inputs)):
        try:
            made = make(number)
        except (RhetreeError, Failure) as error:
            failure = error if isinstance(error, Failure) else failure_of(error)
            if not is_many or failure.status_code == 413:
                raise failure from error
            item = inputs[number]
            name = (
                item.name if isinstance(item, File) else item.get("id", "") if isinstance(item, dict) else ""
            )
            made = failed_item(name if isinstance(name, str) else "", failure)
        yield made
