#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""forge.py IMAGE FILE: makes an image of policies look as if it were made of the
file as it is now (docs/formats/image.md), with right checksums.  What any
program of the user can do; see same-user."""
import os
import struct
import sys

MASK = (1 << 64) - 1
KEYS = [int(key, 16) for key in """
9E3779B97F4A7C15 C2B2AE3D27D4EB4F 165667B19E3779F9 D6E8FEB86659FD93
A0761D6478BD642F E7037ED1A0B428DB 8EBC6AF09C88C6E3 589965CC75374CC3
""".split()]
HEADER = struct.Struct("<8sQ6I4Q16IQ")
CHECKSUM_AT, TABLES_CHECKSUM_AT = 8, 56
STAMP = struct.Struct("<II3Q2q")


def fold(a, b):
    product = a * b
    return (product ^ (product >> 64)) & MASK


def checksum(data):
    lanes = KEYS[:4]
    padded = data + bytes(-len(data) % 64)
    for at in range(0, len(padded), 64):
        words = struct.unpack_from("<8Q", padded, at)
        for i in range(4):
            lanes[i] = fold(lanes[i] ^ words[2 * i],
                            KEYS[4 + i] ^ words[2 * i + 1])
    a, b, c, d = lanes
    return fold(fold(a ^ len(data), b ^ KEYS[4]), fold(c ^ KEYS[5], d ^ KEYS[6]))


image, file = sys.argv[1:]
now = os.stat(file)
data = bytearray(open(image, "rb").read())
header = HEADER.unpack_from(data)
tables_at, code_at = header[9], header[-1]
stamps_at, count = header[20], header[21]
for i in range(count):
    at = stamps_at + i * STAMP.size
    stamp = STAMP.unpack_from(data, at)
    name = bytes(data[stamp[0]:data.index(0, stamp[0])]).decode()
    if os.path.basename(name) == os.path.basename(file):
        STAMP.pack_into(data, at, stamp[0], 1, now.st_dev, now.st_ino,
                        now.st_size, now.st_mtime_ns, now.st_ctime_ns)
struct.pack_into("<Q", data, TABLES_CHECKSUM_AT,
                 checksum(bytes(data[tables_at:code_at])))
struct.pack_into("<Q", data, CHECKSUM_AT,
                 checksum(bytes(data[16:HEADER.size])))
with open(image, "wb") as out:
    out.write(data)
