# SPDX-License-Identifier: Apache-2.0
"""Talks to palpate view over plain sockets."""
import atexit
import base64
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

scratch = tempfile.mkdtemp()
atexit.register(shutil.rmtree, scratch, True)
environment = dict(os.environ, XDG_STATE_HOME=scratch)
program = os.environ["PALPATE"]
patience = 600  # s without what must happen: it has failed, however busy the machine is


def start(*args):
    server = subprocess.Popen([program, "view", *args, "--port", "0", "--out", scratch],
                              stdout=subprocess.PIPE, text=True, env=environment)
    atexit.register(server.kill)
    found = re.search(r"http://localhost:(\d+)/\?token=(\w+)", server.stdout.readline())
    return server, int(found[1]), found[2]


def get(port, path, host=None, method="GET"):
    with socket.create_connection(("127.0.0.1", port), timeout=patience) as connection:
        connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: {host or f'localhost:{port}'}\r\n"
                           "Connection: close\r\n\r\n".encode())
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, head.decode(), body


class Socket:
    def __init__(self, port, token, origin="", host=None):
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=patience)
        key = base64.b64encode(os.urandom(16)).decode()
        origin = f"Origin: {origin}\r\n" if origin else ""
        self.connection.sendall(
            f"GET /socket?token={token} HTTP/1.1\r\nHost: {host or f'localhost:{port}'}\r\n{origin}"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode())
        self.received = b""
        while b"\r\n\r\n" not in self.received:
            chunk = self.read()
            if not chunk:
                break
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        self.is_open = b" 101 " in head

    def read(self):
        try:
            chunk = self.connection.recv(1 << 20)
        except ConnectionError:
            chunk = b""
        self.received += chunk
        return chunk

    def need(self, count):
        while len(self.received) < count:
            if not self.read():
                return False
        return True

    def message(self):
        """(opcode, bytes) of the next message, or None where the server has closed."""
        if not self.need(2):
            return None
        size, head = self.received[1] & 127, 2
        if size >= 126:
            head = 4 if size == 126 else 10
            if not self.need(head):
                return None
            size = int.from_bytes(self.received[2:head], "big")
        if not self.need(head + size):
            return None
        opcode, body = self.received[0] & 15, self.received[head:head + size]
        self.received = self.received[head + size:]
        return None if opcode == 8 else (opcode, body)

    def send(self, data, first=None, length=None):
        is_text = isinstance(data, str)
        data = data.encode() if is_text else data
        first = first if first is not None else (0x81 if is_text else 0x82)
        size = len(data) if length is None else length
        head = bytes([first, 0x80 | size]) if size < 126 else (
            bytes([first, 0x80 | 126]) + struct.pack(">H", size) if size < 65536 else
            bytes([first, 0x80 | 127]) + struct.pack(">Q", size))
        try:
            self.connection.sendall(head + b"\0\0\0\0" + data)
        except ConnectionError:
            pass

    def frame(self):
        """The next frame, acknowledged."""
        while message := self.message():
            if message[0] == 2:
                assert message[1][:4] == b"PALF", message[1][:16]
                self.send(struct.pack("<BBHI", 2, 0, 0, struct.unpack_from("<I", message[1], 8)[0]))
                return message[1]
        return None

    def sections(self):
        frame = self.frame()
        assert frame, "the server closed the socket"
        found, at = {}, 32
        for _ in range(struct.unpack_from("<H", frame, 6)[0]):
            kind, size = struct.unpack_from("<II", frame, at)
            found[kind] = frame[at + 8:at + 8 + size]
            at += 8 + (size + 7) // 8 * 8
        assert at == len(frame), (at, len(frame))
        return found

    def status(self, wanted):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            text = self.sections().get(1)
            if text and wanted(json.loads(text)):
                return json.loads(text)
        raise AssertionError("the status never came")

    def is_closed(self):
        while message := self.message():
            if message[0] == 2:
                continue
        return True


def check_doors(port, token):
    assert get(port, "/")[0] == 200
    code, head, _ = get(port, "/page.js")
    assert code == 200 and "Content-Security-Policy" in head and "no-referrer" in head, head
    for path in ("/gallery", "/gallery?token=", f"/gallery?token={token[:-1]}0x",
                 "/gallery?token=" + "0" * 32, "/picture/touch"):
        assert get(port, path)[0] == 403, path
    code, _, body = get(port, f"/gallery?token={token}")
    assert code == 200 and "touch" in [scene["id"] for scene in json.loads(body)["scenes"]]
    for path in ("/nothing", "/picture/no-such", "/picture/..%2f..%2fREADME", "/scenes/touch.yaml"):
        assert get(port, f"{path}?token={token}")[0] in (400, 404), path
    # A page whose name was made to point here.
    assert get(port, "/", host=f"evil.example:{port}")[0] == 403
    assert get(port, f"/gallery?token={token}", host="evil.example")[0] == 403
    assert get(port, "/", method="POST")[0] == 405


def check_sockets(port, token):
    assert not Socket(port, "0" * 32).is_open
    assert not Socket(port, "").is_open
    assert not Socket(port, token, origin="http://evil.example").is_open
    assert not Socket(port, token, origin=f"https://localhost:{port}").is_open
    assert not Socket(port, token, origin="null").is_open
    assert not Socket(port, token, host="evil.example").is_open
    assert Socket(port, token, origin=f"http://localhost:{port}").is_open
    assert Socket(port, token).is_open


def check_refusals(port, token):
    wrong = ["nonsense", "pause\n", "open ../touch", "x" * 2000, "", b"", b"\1" * 57, b"\2" * 8,
             struct.pack("<BBHIdddd4f", 1, 0, 0, 0, 1, float("nan"), 0, 0, 1, 0, 0, 0), b"\0" * 70000]
    for data in wrong:
        one = Socket(port, token)
        assert one.is_open
        one.send(data)
        assert one.is_closed(), data[:20]
    fragment = Socket(port, token)
    fragment.send("pau", first=0x01)
    assert fragment.is_closed()


def check_talk(port, token):
    driver = Socket(port, token)
    first = driver.sections()
    assert {1, 2, 8} <= set(first), set(first)
    values = {value["path"]: value for value in json.loads(first[8])["values"]}
    assert values["device.driver"]["value"] == "browser"
    assert "accurate" in values["method.name"]["names"]
    # One drives; what others say is not heard.
    watcher = Socket(port, token)
    watcher.send("pause")
    watcher.sections()
    driver.send("set coupling.stiffness=700")
    driver.status(lambda status: status["stiffness"] == 700)
    assert watcher.status(lambda status: status["stiffness"] == 700)["mode"] == "running"
    watcher.send("drive")
    watcher.send("pause")
    watcher.status(lambda status: status["mode"] == "paused")
    watcher.send("step 10")
    watcher.send("resume")
    watcher.status(lambda status: status["mode"] == "running" and status["steps"] > 10)
    # A driver's settings go with it: here a touch, which renders 400 N/m at most.
    watcher.send("set device.driver=simulated")
    watcher.send("set device.preset=touch")
    watcher.status(lambda status: status["device"] == "simulated" and status["stiffness"] <= 400)
    watcher.send("set device.driver=browser")
    watcher.status(lambda status: status["device"] == "browser" and status["stiffness"] == 700)
    # Without an acknowledgement there is one frame and no more, while others get many.
    silent = Socket(port, token)
    while silent.message()[0] != 2:
        pass
    for _ in range(30):
        assert watcher.sections()
    silent.connection.settimeout(0.1)
    try:
        while message := silent.message():
            assert message[0] != 2, "a frame that was not asked for"
    except TimeoutError:
        pass
    # More than there is room for are turned away, and nobody notices.
    crowd = [Socket(port, token) for _ in range(20)]
    assert watcher.sections()
    for one in crowd:
        one.connection.close()


server, port, token = start("scenes/touch.yaml")
check_doors(port, token)
check_sockets(port, token)
check_talk(port, token)
check_refusals(port, token)
assert server.poll() is None
kept = os.stat(os.path.join(scratch, "palpate", "view-token"))
assert kept.st_mode & 0o777 == 0o600, oct(kept.st_mode)

# A second one on the same port, what is no address, a scene that is not there, a directory without
# scenes.
for args, words in ((["scenes/touch.yaml", "--port", str(port)], "in use"),
                    (["--address", "999.1.1.1", "--port", "0"], "is not an address"),
                    (["--address", "no-such-name", "--port", "0"], "is not an address"),
                    (["scenes/no-such.yaml"], "no-such"), (["--scenes", scratch], "no scene files"),
                    (["--port", "70000"], "65535"), (["--replay", "out"], "requires the recorded scene"),
                    (["scenes/touch.yaml", "--replay", scratch, "--port", "0"], "haptic.csv")):
    failed = subprocess.run([program, "view", *args], env=environment, capture_output=True, text=True,
                            timeout=patience)
    assert failed.returncode == 2 and words in failed.stderr, (args, failed)

server.send_signal(signal.SIGINT)
assert server.wait(patience) == 0, server.returncode

# The same address the next time; called by its name, this machine is as strict.
server, port, again = start("--address", "localhost")
assert again == token
assert get(port, "/", host=f"evil.example:{port}")[0] == 403
visitor = Socket(port, token)
visitor.status(lambda status: status["mode"] == "empty")
visitor.send("open touch")
visitor.status(lambda status: status["mode"] == "running")
server.terminate()
assert server.wait(patience) == 0
