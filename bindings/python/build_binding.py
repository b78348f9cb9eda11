# SPDX-License-Identifier: Apache-2.0
"""Compiles the two extension modules of the package, belay._belay over libbelay
and belay._rego over librego, by cffi in API mode.  The declarations are read from
the headers, so that there is no second list of them.

Usage: build_binding.py OUT [--include DIR] [--lib DIR]... [--static]
  OUT        the folder that gets belay/, complete
  --include  where belay.h and rego.h are (default: include/ of this checkout)
  --lib      where the libraries are (default: where the linker looks)
  --static   link libbelay.a and librego.a and what they need, so that the
             modules need nothing but the C library

CC is the compiler, with its options (cc).  For another machine PYTHON_INCLUDE says
where that machine's Python.h is.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sysconfig

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
# Functions of C that call Python; see _engine.py and rego.py.
CALLBACKS = {
    "belay": 'extern "Python" void belay_py_run(void *, belay_call *);',
    "rego": 'extern "Python" rego_status rego_py_call(void *, rego_call *);\n'
            'extern "Python" void rego_py_print(void *, const char *, size_t);',
}
# Our own C beside cffi's, in native/, and the line before cffi's by which ours is the
# module's start, and calls cffi's.
NATIVE = {
    "belay": ([], ""),
    "rego": (["asker.c", "items.c"], "#define PyInit__rego rego_cffi_init\n"),
}
# What the static libraries need, as archives where Debian has them.
STATIC = {
    "belay": ["-lpcre2-8", "-lyaml", "-lcrypto"],
    "rego": ["-lyaml", "-lcrypto", "-lz"],
}


def declarations(header):
    """The declarations of a header in the form that cffi reads."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = text.replace("\\\n", " ")
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    lines = []
    for line in text.splitlines():
        constant = re.match(r"#\s*define\s+(\w+)\s+\d+u?\s*$", line)
        if constant:
            lines.append(f"#define {constant.group(1)} ...")
        elif not line.startswith("#"):
            lines.append(line)
    return re.sub(r"\b(BELAY|REGO)_API\b", "", "\n".join(lines))


def write_source(name, options, path):
    """The C of one module, by cffi."""
    with open(os.path.join(options.include, name + ".h"), encoding="utf-8") as file:
        text = file.read()
    ffi = cffi.FFI()
    ffi.cdef(declarations(text) + CALLBACKS[name])
    ffi.set_source(f"belay._{name}", f"#include <{name}.h>\n" + NATIVE[name][1],
                   py_limited_api=True)
    ffi.emit_c_code(path)


def linked(name, options):
    words = ["-L" + folder for folder in options.lib]
    if not options.static:
        return words + ["-l" + name] + ["-Wl,-rpath," + folder for folder in options.lib]
    return words + [f"-l:lib{name}.a", "-Wl,-Bstatic", *STATIC[name], "-Wl,-Bdynamic", "-ldl",
                    "-Wl,--exclude-libs,ALL", "-s"]


def build(name, options):
    """belay/_NAME.abi3.so: one module for every Python from 3.10 on."""
    folder = options.out + "/belay"
    source = f"_{name}.c"
    write_source(name, options, f"{folder}/{source}")
    include = os.environ.get("PYTHON_INCLUDE") or sysconfig.get_path("include")
    # names from here, so that the folder does not show
    subprocess.run(
        [*shlex.split(os.environ.get("CC", "cc")), "-shared", "-fPIC", "-O2", "-g0",
         "-DPy_LIMITED_API=0x030A0000", "-I" + include, "-I" + options.include, source,
         *("native/" + file for file in NATIVE[name][0]),
         "-o", f"_{name}.abi3.so", *linked(name, options)], check=True, cwd=folder)
    os.remove(f"{folder}/{source}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--include", default=os.path.join(HERE, "../../include"))
    parser.add_argument("--lib", action="append", default=[])
    parser.add_argument("--static", action="store_true")
    options = parser.parse_args()
    options.include = os.path.abspath(options.include)
    options.lib = [os.path.abspath(folder) for folder in options.lib]
    shutil.copytree(HERE + "/belay", options.out + "/belay", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(HERE + "/native", options.out + "/belay/native", dirs_exist_ok=True)
    for name in ("belay", "rego"):
        build(name, options)
    shutil.rmtree(options.out + "/belay/native")


if __name__ == "__main__":
    main()
