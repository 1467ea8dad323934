"""The service with Postgres in Docker, for tests. Needs the command ``docker``, and no other package."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import httpx

from .testing import RecollectServer, find_package, node

_PORT = 7420
# The labels name what a killed run leaves behind.
_LABEL = "com.recollect.test"
# The number of log lines in the error about a container that did not start.
_LINES = 20
_LOGIN = (
    "CREATE ROLE recollect LOGIN CREATEROLE PASSWORD 'recollect'",
    "ALTER DATABASE recollect OWNER TO recollect",
    "CREATE EXTENSION vector",
)
# Prints the name of the package's image, and writes its build context into a folder if one is given.
_IMAGE_SCRIPT = """
import(require("node:url").pathToFileURL(process.argv[1])).then(({ packageImage }) => {
  const image = packageImage();
  if (process.argv[2]) image.writeContext(process.argv[2]);
  console.log(image.name);
});
"""


@contextmanager
def run_containers(
    *,
    image: str | None = None,
    postgres_image: str = "pgvector/pgvector:pg17",
    env: Mapping[str, str] | None = None,
    package: str | os.PathLike[str] | None = None,
    startup_timeout_s: float = 120,
) -> Iterator[RecollectServer]:
    """Runs the service's image with its own Postgres until the block ends.

    Args:
        image: the service's image. Default: an image of the npm package ``recollect``, which is
            built the first time and then kept.
        postgres_image: the image of a Postgres with pgvector.
        env: variables of docs/SETTINGS.md for the service.
        package: the folder of the npm package, to build an image of; default: the one that
            ``recollect.testing.find_package`` finds.
        startup_timeout_s: how long each container may take to be ready.

    Raises:
        RuntimeError: no Docker engine answers, the image cannot be built, or a container ends or is
            not ready in time; then with the end of its log.
    """
    _require_engine()
    name = image if image is not None else _package_image(package)
    key = f"rcl_{secrets.token_hex(6)}_{secrets.token_hex(24)}"
    with ExitStack() as started:
        network = f"recollect-test-{uuid.uuid4()}"
        _docker("network", "create", "--label", _LABEL, network)
        started.callback(_docker, "network", "rm", network)
        login = {"POSTGRES_USER": "postgres", "POSTGRES_PASSWORD": "postgres", "POSTGRES_DB": "recollect"}
        postgres = _start(started, postgres_image, login, "--network", network, "--network-alias", "postgres")
        _until(startup_timeout_s, "Postgres", postgres, lambda: _psql(postgres, "SELECT 1"))
        if not _psql(postgres, *_LOGIN):
            raise RuntimeError("The database login could not be made.")
        url_of_database = "postgres://recollect:recollect@postgres:5432/recollect"
        settings = {"DATABASE_URL": url_of_database, **(env or {}), "RECOLLECT_ADMIN_KEY": key}
        service = _start(started, name, settings, "--network", network, "--publish", str(_PORT))
        _until(startup_timeout_s, "The service", service, lambda: _is_ready(service), settings)
        yield RecollectServer(_url(service), key)


def _require_engine() -> None:
    if shutil.which("docker") is None:
        problem = "no command docker is on the PATH"
    else:
        ran = subprocess.run(["docker", "version"], capture_output=True, text=True, check=False)
        if ran.returncode == 0:
            return
        problem = ran.stderr.strip()
    raise RuntimeError(
        f"No Docker engine answers ({problem}). Start Docker, or set DOCKER_HOST. recollect.testing needs no Docker."
    )


def _docker(*args: str) -> str:
    ran = subprocess.run(["docker", *args], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise RuntimeError(f"`docker {args[0]}` failed: {ran.stderr.strip()}")
    return ran.stdout.strip()


def _start(started: ExitStack, image: str, env: Mapping[str, str], *options: str) -> str:
    """Starts a container that is removed, with its data, when the block ends. Returns its id."""
    variables = [part for name, value in env.items() for part in ("--env", f"{name}={value}")]
    container = _docker("run", "--detach", "--label", _LABEL, *options, *variables, image)
    started.callback(_docker, "rm", "--force", "--volumes", container)
    return container


def _package_image(package: str | os.PathLike[str] | None) -> str:
    script = find_package(package) / "dist/start/package-image.js"

    def described(*folder: str) -> str:
        command = [node(), "-e", _IMAGE_SCRIPT, str(script), *folder]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise RuntimeError(f"No image can be made of the package {script.parents[2]}: {ran.stderr}")
        return ran.stdout.strip()

    name = described()
    found = subprocess.run(["docker", "image", "inspect", name], capture_output=True, check=False)
    if found.returncode != 0:
        print(
            f"Recollect: building the image {name} of the installed package. "
            "The next runs use it, until the package changes.",
            file=sys.stderr,
        )
        with tempfile.TemporaryDirectory(prefix="recollect-image-") as folder:
            described(folder)
            _docker("build", "--tag", name, folder)
    return name


def _psql(postgres: str, *statements: str) -> bool:
    """Runs statements over TCP: the server that only creates the database does not listen there."""
    commands = [part for statement in statements for part in ("-c", statement)]
    psql = ["psql", "-h", "127.0.0.1", "-U", "postgres", "-d", "recollect", "-v", "ON_ERROR_STOP=1"]
    command = ["docker", "exec", "--env", "PGPASSWORD=postgres", postgres, *psql, *commands]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _host() -> str:
    engine = urlsplit(os.environ.get("DOCKER_HOST", ""))
    return engine.hostname if engine.scheme in ("tcp", "ssh") and engine.hostname else "127.0.0.1"


def _url(service: str) -> str:
    port = _docker("port", service, str(_PORT)).split("\n")[0].rpartition(":")[2]
    return f"http://{_host()}:{port}"


def _is_ready(service: str) -> bool:
    try:
        return httpx.get(f"{_url(service)}/health/ready", timeout=5, trust_env=False).is_success
    except (httpx.HTTPError, RuntimeError):
        return False


def _until(
    timeout_s: float,
    name: str,
    container: str,
    is_done: Callable[[], bool],
    env: Mapping[str, str] | None = None,
) -> None:
    ends = time.monotonic() + timeout_s
    while not is_done():
        status, exit_code = _docker("inspect", "--format", "{{.State.Status}} {{.State.ExitCode}}", container).split()
        if status == "exited":
            raise RuntimeError(f"{name} ended with exit code {exit_code}. {_end_of_log(container, env or {})}")
        if time.monotonic() > ends:
            raise RuntimeError(f"{name} was not ready after {timeout_s:.0f} s. {_end_of_log(container, env or {})}")
        time.sleep(0.2)


def _end_of_log(container: str, env: Mapping[str, str]) -> str:
    """Returns the last lines of a container's log, without the values of its secret variables."""
    command = ["docker", "logs", "--tail", str(_LINES), container]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    log = ran.stdout.strip()
    for name, value in env.items():
        if value and (re.search("KEY|PASSWORD|SECRET|TOKEN", name) or "@" in value):
            log = log.replace(value, f"<{name}>")
    return f"The end of its log:\n{log}" if log else "Its log is empty."
