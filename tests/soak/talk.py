"""What a client says and hears over each door, as small as it can be: one question on its way out, the answers on
their way back. A talk is one connection's; `ask` gives bytes to send, `hear` takes what came and tells of each answer
whether it admitted (None: neither admitted nor denied), and `more` is what the protocol itself wants to be sent."""

import json
import re
import struct


class Http:
    def __init__(self):
        self.held = b""
        self.more = b""

    def ask(self, dimensions):
        body = json.dumps({"dimensions": dimensions}).encode()
        return b"POST /v1/check HTTP/1.1\r\nHost: soak\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

    def hear(self, got):
        self.held += got
        while (end := self.held.find(b"\r\n\r\n")) >= 0:
            length = int(re.search(rb"(?i)content-length: *(\d+)", self.held[:end]).group(1))
            if len(self.held) < end + 4 + length:
                return
            status = int(self.held[9:12])
            self.held = self.held[end + 4 + length:]
            yield {200: True, 429: False}.get(status)


class Resp:
    def __init__(self):
        self.held = b""
        self.more = b""

    def ask(self, dimensions):
        words = ["WEIR.CHECK", *(text for pair in dimensions.items() for text in pair)]
        return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word.encode()) for word in words)

    def hear(self, got):
        self.held += got
        at = 0
        while (reply := self._read(at)) is not None:
            value, at = reply
            yield {0: True, 1: False}.get(value[0]) if isinstance(value, list) else None
        self.held = self.held[at:]

    def _read(self, at):
        """The value that begins there and where it ends; None when not all of it is here."""
        end = self.held.find(b"\r\n", at)
        if end < 0:
            return None
        kind, text, at = self.held[at:at + 1], self.held[at + 1:end], end + 2
        if kind == b":":
            return int(text), at
        if kind == b"$":
            length = int(text)
            if length < 0:
                return b"", at
            return (self.held[at:at + length], at + length + 2) if len(self.held) >= at + length + 2 else None
        if kind == b"*":
            values = []
            for _ in range(int(text)):
                part = self._read(at)
                if part is None:
                    return None
                values.append(part[0])
                at = part[1]
            return values, at
        return text, at


def field(number, payload):
    """A length-delimited field of a protobuf message, of fewer than 128 bytes."""
    return bytes((number << 3 | 2, len(payload))) + payload


class Grpc:
    """HTTP/2 without a header table: what comes in headers is not read, and need not be."""
    DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
    END_STREAM, ACK, END_HEADERS = 1, 1, 4
    PATH = b"/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit"
    HEAD = (b"\x83\x86\x04" + bytes([len(PATH)]) + PATH + b"\x01\x04soak" + b"\x0f\x10\x10application/grpc"
            + b"\x00\x02te\x08trailers")

    def __init__(self):
        self.held = b""
        self.more = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + self._frame(self.SETTINGS, 0, 0, b"")
        self.next_stream = 1
        self.said = {}

    @staticmethod
    def _frame(kind, flags, stream, payload):
        return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload

    def ask(self, dimensions):
        entries = b"".join(field(1, field(1, name.encode()) + field(2, value.encode()))
                           for name, value in dimensions.items())
        message = field(1, b"soak") + field(2, entries)
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        preface, self.more = self.more, b""
        return (preface + self._frame(self.HEADERS, self.END_HEADERS, stream, self.HEAD)
                + self._frame(self.DATA, self.END_STREAM, stream, b"\0" + struct.pack(">I", len(message)) + message))

    def hear(self, got):
        self.held += got
        while len(self.held) >= 9:
            length = int.from_bytes(self.held[:3], "big")
            kind, flags, stream = struct.unpack(">BBI", self.held[3:9])
            if len(self.held) < 9 + length:
                return
            payload, self.held = self.held[9:9 + length], self.held[9 + length:]
            if kind == self.SETTINGS and not flags & self.ACK:
                self.more += self._frame(self.SETTINGS, self.ACK, 0, b"")
            elif kind == self.PING and not flags & self.ACK:
                self.more += self._frame(self.PING, self.ACK, 0, payload)
            elif kind == self.DATA and length > 0:
                self.more += self._frame(self.WINDOW_UPDATE, 0, 0, struct.pack(">I", length))
                self.said[stream] = payload
            if kind == self.RST_STREAM:
                yield None
            elif kind in (self.HEADERS, self.DATA) and flags & self.END_STREAM:
                # overall_code is the first field: 1 for OK, 2 for OVER_LIMIT.
                yield {b"\x08\x01": True, b"\x08\x02": False}.get(self.said.pop(stream, b"")[5:7])


TALKS = {"http": Http, "resp": Resp, "grpc": Grpc}
