# The service with the model that comes with the package: docs/serving.md.
FROM python:3.12-slim

RUN useradd --create-home --uid 10001 rhetree
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
# The version is that of the source.
# hadolint ignore=DL3013
RUN pip install --no-cache-dir '.[serve,png]'

USER 10001
WORKDIR /home/rhetree
ENV PYTHONUNBUFFERED=1
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
# Inside a container every address is the container's own: who may connect is decided where its port is published.
CMD ["rhetree", "serve", "--host", "0.0.0.0", "--port", "8000"]
