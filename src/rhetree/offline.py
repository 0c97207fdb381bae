"""Offline means offline: the libraries that Rhetree uses report nothing about their use.

Some of them do so unless an environment variable says no, which they read when they are imported. Whoever
imports such a library calls :func:`keep_offline` first; ``tests/test_offline.py`` walks the imports. What the
user has set stays as it is, so that reports can be turned on.

Downloads by Hugging Face's hub are not switched off here, because a variable would also stop the downloads that
the user's own program makes: ``rhetree.learning.embeddings.hugging_face`` is offline while it runs.
"""

import os

SETTINGS = {
    # Without it every process writes an identifier below ~/.cache and looks up the vendor's host.
    "onnxruntime": {"ORT_DISABLE_TELEMETRY": "1"},
    "huggingface_hub": {"HF_HUB_DISABLE_TELEMETRY": "1"},
    # Of the names that LangChain's tracing goes by, the one that is read last: any other that the user sets wins.
    "langchain_core": {"LANGCHAIN_TRACING": "false"},
    "ray": {"RAY_USAGE_STATS_ENABLED": "0"},
}
"""By library: the variables that turn its reports off."""


def keep_offline(library: str) -> None:
    """Turn off the reports of a library that is about to be imported, unless the user has set otherwise."""
    for name, value in SETTINGS[library].items():
        os.environ.setdefault(name, value)
