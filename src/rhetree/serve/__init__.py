"""The HTTP service: routes, their limits, and the threads that run the model behind them.

Only this room imports the web framework (extra ``serve``). :func:`rhetree.serve.app.make_app` takes a parser and
settings and returns an ASGI application; :mod:`rhetree.serve.server` runs it.
"""
