# One image for the two processes of a device: the runner daemon (torch, Triton, no network) and its Celery worker.
#   docker build -f docker/worker.Dockerfile -t passnet-worker .
# For a GPU: --build-arg TORCH_INDEX=https://pypi.org/simple gives the CUDA build of the same version.

FROM python:3.11-slim-bookworm AS packages
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
WORKDIR /build
RUN python -m venv /opt/venv
COPY pyproject.toml constraints.txt README.md LICENSE ./
RUN /opt/venv/bin/pip install --no-cache-dir --extra-index-url "$TORCH_INDEX" -c constraints.txt ".[evaluator,web]"

FROM python:3.11-slim-bookworm
# Inductor needs a C++ compiler, Triton on a GPU needs gcc; the official Python image brings its headers.
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ bubblewrap \
    && rm -rf /var/lib/apt/lists/*
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONPATH=/app \
    PYTHONUNBUFFERED=1 \
    PASSNET_VAR=/var/lib/passnet \
    RUNNER_SOCKETS=/run/passnet
RUN useradd --system --uid 10001 --create-home passnet \
    && install -d -o passnet -g passnet -m 0700 /var/lib/passnet /run/passnet /run/passnet-match
WORKDIR /app
COPY --from=packages /opt/venv /opt/venv
COPY manage.py ./
COPY passnet_web passnet_web
COPY assistant assistant
COPY submissions submissions
COPY dataset dataset
COPY evaluator evaluator
COPY passnet_runtime passnet_runtime
COPY graphs graphs
USER passnet
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "from evaluator.runner.client import DaemonClient as D; D('/run/passnet/cpu.sock').hello()"]
CMD ["celery", "-A", "passnet_web", "worker", "-Q", "device.cpu", "-c", "1"]
