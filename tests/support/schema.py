"""Checks records against the JSON schema, which is prepared once."""

import jsonschema

from rhetree.formats.json import schema

VALIDATOR = jsonschema.Draft202012Validator(schema())


def check_record(record):
    """Raise an error if the record does not fit the schema."""
    VALIDATOR.validate(record)
