"""Brings the loopback of a network namespace up: torch.distributed and others talk to
themselves over it, and a new namespace has it down."""

import os
import socket
import struct

GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 0x1


def bring_up():
    """Does so where the parent asked for it; what cannot be done is left."""
    if os.environ.get("RLVET_LOOPBACK") != "1":
        return
    try:
        import fcntl

        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            request = struct.pack("16sH14x", b"lo", 0)
            _, flags = struct.unpack("16sH14x", fcntl.ioctl(control, GET_FLAGS, request))
            fcntl.ioctl(control, SET_FLAGS, struct.pack("16sH14x", b"lo", flags | UP))
    except (ImportError, OSError):
        pass
