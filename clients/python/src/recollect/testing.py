"""A server of Recollect for tests, with its database in memory.

The fixtures of ``recollect.pytest_plugin`` start one for a test run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ._sync.client import RecollectClient

_STOP_AFTER_S = 20
# Runs the server that test files of TypeScript share, in a process of its own. Its standard input ends
# when the block ends, and also when this process is killed. Ctrl-C at a terminal goes to both processes,
# and the tests may need the server until their end.
_SERVER_SCRIPT = """
process.on("SIGINT", () => undefined);
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.once("line", async (options) => {
  const { startTestServer } = await import(require("node:url").pathToFileURL(process.argv[1]));
  const server = await startTestServer(JSON.parse(options));
  console.log(JSON.stringify({ url: server.url, key: server.key }));
});
lines.once("close", () => process.exit());
process.on("unhandledRejection", ({ code, message, stack }) => {
  console.error(code ? `${message} (${code})` : stack);
  process.exit(1);
});
"""


@dataclass(frozen=True)
class RecollectServer:
    """A running server: its address, and an API key with the scope ``admin``."""

    url: str
    key: str

    def new_memory(self) -> RecollectMemory:
        """Creates a tenant, so that agents of the same name in two tests have nothing in common."""
        with RecollectClient(self.url, key=self.key) as operator:
            name = {"name": f"test-{uuid.uuid4()}"}
            tenant = operator.request("POST", "/v1/tenants", body=name, repeat="by key")["id"]
        with RecollectClient(self.url, key=self.key, tenant=tenant) as operator:
            wanted = {"name": "test", "scopes": ["tenant"]}
            key = operator.request("POST", "/v1/keys", body=wanted, repeat="by key")["key"]
        return RecollectMemory(self.url, key)


@dataclass(frozen=True)
class RecollectMemory:
    """The address of a server, and the API key of a tenant that nobody else uses."""

    url: str
    key: str


@contextmanager
def run_server(
    *,
    provider: str | None = None,
    env: Mapping[str, str] | None = None,
    package: str | os.PathLike[str] | None = None,
) -> Iterator[RecollectServer]:
    """Runs the server of the npm package ``recollect`` until the block ends.

    Args:
        provider: the embedding provider; default: the built-in model. ``none`` searches by keyword
            only, and starts faster.
        env: other variables of docs/SETTINGS.md. Those of this process are not read.
        package: the folder of the npm package; default: the one that ``find_package`` finds.

    Raises:
        RuntimeError: the npm package or Node.js is not installed, or the server does not start.
    """
    command = [node(), "-e", _SERVER_SCRIPT, str(find_package(package) / "dist/start/testing.js")]
    options = {**({} if provider is None else {"provider": provider}), **({} if env is None else {"env": dict(env)})}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(f"{json.dumps(options)}\n")
            process.stdin.flush()
            line = process.stdout.readline()
            if not line:
                raise RuntimeError("The server did not start; the lines above say why.")
            yield RecollectServer(**json.loads(line))
        finally:
            process.stdin.close()
            try:
                process.wait(_STOP_AFTER_S)
            except subprocess.TimeoutExpired:
                process.kill()


def find_package(package: str | os.PathLike[str] | None = None) -> Path:
    """Returns the folder of the npm package ``recollect``.

    It is the given one, or in ``node_modules`` of this folder or of a folder above it, or the
    package of the command ``recollect`` on the PATH.

    Raises:
        RuntimeError: there is none.
    """
    if package is not None:
        return Path(package).resolve()
    here = Path.cwd()
    for folder in [here, *here.parents]:
        candidate = folder / "node_modules" / "recollect"
        if (candidate / "dist/start/cli.js").exists():
            return candidate.resolve()
    command = shutil.which("recollect")
    if command is not None:
        for folder in Path(command).resolve().parents:
            if (folder / "dist/start/cli.js").exists():
                return folder
    raise RuntimeError(
        "The npm package recollect is not installed: it is in no folder node_modules from "
        f"{here} upwards, and no command recollect is on the PATH. In a clone of Recollect, run "
        "`npm ci && npm run build && npm link`, or `npm ci && npm pack` and install the tarball here."
    )


def node() -> str:
    """Returns the path of Node.js.

    Raises:
        RuntimeError: there is none on the PATH.
    """
    command = shutil.which("node")
    if command is None:
        raise RuntimeError("Node.js is not installed: no command node is on the PATH.")
    return command
