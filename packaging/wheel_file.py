# SPDX-License-Identifier: Apache-2.0
"""Writes a wheel whose bytes depend on what is in it alone, and on
SOURCE_DATE_EPOCH."""
import base64
import hashlib
import os
import time
import zipfile


def write(path, info, files):
    """files: (name in the wheel, bytes, is a program); info: the .dist-info folder,
    which gets RECORD."""
    when = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    record = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        def put(name, text, is_program):
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the mode below is Unix's
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            wheel.writestr(entry, text)

        for name, text, is_program in sorted(files):
            digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest())
            record += f"{name},sha256={digest.rstrip(b'=').decode()},{len(text)}\n"
            put(name, text, is_program)
        put(f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), False)
    print(f"== {os.path.basename(path)}")


def wheel_text(tags, is_pure=False):
    return ("Wheel-Version: 1.0\nGenerator: belay\n"
            f"Root-Is-Purelib: {'true' if is_pure else 'false'}\n" +
            "".join(f"Tag: {tag}\n" for tag in tags)).encode()
