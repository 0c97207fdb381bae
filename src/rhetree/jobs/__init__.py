"""Many documents, safely: sources of records, a loop over them, and sinks for what becomes of them.

``sources`` finds what to read and ``readers`` reads it; ``sinks`` write, by the formats of ``encoding``;
``ledger`` knows what an earlier run has finished, and ``run_file`` how; ``work`` is what is done, in
``portions``, by one process or by several ``processes``; ``job`` is the loop that ties them together.
``conversion`` and ``predictions`` are other jobs with the same parts.
"""
