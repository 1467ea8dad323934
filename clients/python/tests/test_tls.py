"""Tests which certificates the client trusts, and that it reuses idle TLS connections."""

from __future__ import annotations

import socket
import ssl
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from recollect import RecollectError
from support import BothClients, both, read_request, reply


@both
class Tls(BothClients):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.certificate = Path(folder.name, "certificate.pem")
        key = Path(folder.name, "key.pem")
        subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *subject]
        subprocess.run([*make, "-keyout", key, "-out", self.certificate], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.listener.close)
        self.url = f"https://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, args=(context,), daemon=True).start()

    def accept(self, context: ssl.SSLContext) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(connection, context), daemon=True).start()

    def serve(self, connection: socket.socket, context: ssl.SSLContext) -> None:
        try:
            with context.wrap_socket(connection, server_side=True) as secure, secure.makefile("rb") as stream:
                while asked := read_request(stream):
                    reply(200, asked.body or b"{}")(secure, asked)
        except OSError:
            pass

    def test_a_server_whose_certificate_is_given(self) -> None:
        trusting = ssl.create_default_context(cafile=str(self.certificate))
        client = self.client(self.url, ssl_context=trusting, max_tries=1)
        big: dict[str, Any] = {"text": "ü" * 1_000_000}
        self.assertEqual(client.request("POST", "/x", body=big, repeat="always"), big)
        # TLS session tickets that arrive after an answer do not end the connection.
        time.sleep(0.1)
        client.agent().status()
        client.agent().status()
        self.assertEqual(self.connections, 1)

    def test_a_certificate_that_nobody_knows_is_refused_at_once(self) -> None:
        with self.assertRaises(RecollectError) as found:
            self.client(self.url, max_tries=5).agent().files.put("a.md", "x")
        self.assertEqual(found.exception.code, "service_unreachable")
        self.assertIsInstance(found.exception.__cause__, ssl.SSLCertVerificationError)
        self.assertEqual(self.connections, 1)
