# Pages, API and WebSocket. No torch in here: the web process never imports it.
#   docker build -f docker/web.Dockerfile -t passnet-web .

FROM node:20-bookworm-slim AS frontend
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY vite.config.ts tsconfig.json ./
COPY static/src static/src
RUN npm run build

FROM python:3.11-slim-bookworm AS packages
WORKDIR /build
RUN python -m venv /opt/venv
# Only what decides about packages: a change in the code does not install them again.
COPY pyproject.toml constraints.txt README.md LICENSE ./
RUN /opt/venv/bin/pip install --no-cache-dir -c constraints.txt ".[web]"

FROM python:3.11-slim-bookworm
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONPATH=/app \
    PYTHONUNBUFFERED=1 \
    PASSNET_VAR=/var/lib/passnet
RUN useradd --system --uid 10001 --create-home passnet \
    && install -d -o passnet -g passnet /var/lib/passnet \
    && install -d -o passnet -g passnet -m 0700 /run/passnet-match
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
COPY templates templates
COPY --from=frontend /app/static/dist static/dist
RUN SECRET_KEY=only-while-building python manage.py collectstatic --noinput
USER passnet
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen(u.Request('http://127.0.0.1:8000/healthz', headers={'Host': 'localhost'}), timeout=4)"]
CMD ["python", "-m", "passnet_web.serve", "-b", "0.0.0.0", "-p", "8000"]
