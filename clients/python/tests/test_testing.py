"""The server for tests: where the npm package is found, and memories of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from recollect import RecollectClient, RecollectError
from recollect.containers import run_containers
from recollect.testing import RecollectServer, find_package, run_server
from support import KEY, URL


def _write_package(folder: Path) -> Path:
    cli = folder / "node_modules/recollect/dist/start/cli.js"
    cli.parent.mkdir(parents=True)
    cli.touch(0o755)
    return folder / "node_modules/recollect"


class FindPackage(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        before = Path.cwd()
        self.addCleanup(os.chdir, before)

    def test_in_a_folder_above(self) -> None:
        package = _write_package(self.folder)
        below = self.folder / "service/tests"
        below.mkdir(parents=True)
        os.chdir(below)
        self.assertEqual(find_package(), package)
        self.assertEqual(find_package(self.folder), self.folder)

    def test_by_the_command_on_the_path(self) -> None:
        package = _write_package(self.folder / "lib")
        commands = self.folder / "bin"
        commands.mkdir()
        (commands / "recollect").symlink_to(package / "dist/start/cli.js")
        os.chdir(commands)
        with mock.patch.dict(os.environ, {"PATH": str(commands)}):
            self.assertEqual(find_package(), package)

    def test_is_missing(self) -> None:
        os.chdir(self.folder)
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            with self.assertRaisesRegex(RuntimeError, "npm run build && npm link"):
                find_package()
            with self.assertRaisesRegex(RuntimeError, "No Docker engine answers .*no command docker"):
                with run_containers():
                    self.fail("It started without Docker.")


_FAKE_DOCKER = """#!/bin/sh
case "$1" in
  inspect) echo "exited 78" ;;
  port) echo "no public port" >&2; exit 1 ;;
  logs) echo "RECOLLECT_PROVIDER: unknown (key $SECRET)" >&2 ;;
  *) echo c0ffee ;;
esac
"""


class RunContainers(unittest.TestCase):
    def test_tells_why_the_service_has_ended(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            docker = Path(folder) / "docker"
            docker.write_text(_FAKE_DOCKER)
            docker.chmod(0o755)
            with mock.patch.dict(os.environ, {"PATH": f"{folder}:/bin:/usr/bin", "SECRET": "sk-secret"}):
                with self.assertRaises(RuntimeError) as caught:
                    with run_containers(image="recollect", env={"OPENAI_API_KEY": "sk-secret"}):
                        self.fail("It started.")
        self.assertEqual(
            str(caught.exception),
            "The service ended with exit code 78. The end of its log:\n"
            "RECOLLECT_PROVIDER: unknown (key <OPENAI_API_KEY>)",
        )


_SOURCE = Path(__file__).resolve().parents[3] / "src/start/testing.ts"
_KILLED_RUN = """
import sys
from recollect.testing import run_server

with run_server(provider="none", package=sys.argv[1]) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


class RunServer(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.package = _write_package(Path(folder.name))
        (self.package / "package.json").write_text('{"type": "module"}')
        (self.package / "dist/start/testing.js").write_text(f'export * from "{_SOURCE.as_uri()}";')

    def test_ends_with_the_block(self) -> None:
        with run_server(provider="none", package=self.package) as server:
            memory = server.new_memory()
        with RecollectClient(memory.url, key=memory.key, max_tries=1) as client:
            with self.assertRaisesRegex(RecollectError, "No answer"):
                client.key()

    def test_says_why_it_does_not_start(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "the lines above say why"):
            with run_server(provider="openai", env={"RECOLLECT_PROVIDR": "none"}, package=self.package):
                self.fail("It started.")

    def test_ends_when_the_run_is_killed(self) -> None:
        command = [sys.executable, "-c", _KILLED_RUN, str(self.package)]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as run:
            assert run.stdout is not None and run.stderr is not None
            url = run.stdout.readline().strip()
            run.kill()
            # The server has the same standard error, which ends with the last of the two processes.
            run.stderr.read()
        with RecollectClient(url, max_tries=1) as client:
            with self.assertRaisesRegex(RecollectError, "No answer"):
                client.key()


class NewMemory(unittest.TestCase):
    def test_has_a_tenant_of_its_own(self) -> None:
        assert KEY is not None
        server = RecollectServer(URL, KEY)
        one, other = server.new_memory(), server.new_memory()
        with RecollectClient(one.url, key=one.key) as client:
            client.agent("bot").files.put("MEMORY.md", "Petra has the spare key.")
            self.assertEqual(client.key()["scopes"], ["tenant"])
        with RecollectClient(other.url, key=other.key) as client:
            with self.assertRaises(RecollectError) as caught:
                client.agent("bot").files.get("MEMORY.md")
            self.assertEqual(caught.exception.code, "file_not_found")
