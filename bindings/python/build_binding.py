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
"""
import argparse
import os
import re
import shutil

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


def builder(name, options):
    with open(os.path.join(options.include, name + ".h"), encoding="utf-8") as file:
        text = file.read()
    ffi = cffi.FFI()
    ffi.cdef(declarations(text) + CALLBACKS[name])
    own, rename = NATIVE[name]
    link = [f"-l:lib{name}.a", "-Wl,-Bstatic", *STATIC[name], "-Wl,-Bdynamic", "-ldl",
            "-Wl,--exclude-libs,ALL", "-s"]
    ffi.set_source(
        f"belay._{name}", f"#include <{name}.h>\n" + rename,
        # a path from here, so that the object is made within the folder
        sources=["belay/native/" + file for file in own],
        include_dirs=[options.include], library_dirs=options.lib,
        libraries=[] if options.static else [name],
        extra_link_args=link if options.static else [],
        runtime_library_dirs=[] if options.static else options.lib,
        py_limited_api=True,  # one module for every Python from 3.10 on
        define_macros=[("Py_LIMITED_API", "0x030A0000")],
        extra_compile_args=["-O2", "-g0", f"-ffile-prefix-map={os.path.abspath(options.out)}=."])
    return ffi


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
        builder(name, options).compile(tmpdir=options.out)
    shutil.rmtree(options.out + "/belay/native")
    for file in os.listdir(options.out + "/belay"):
        if file.endswith((".c", ".o")):
            os.remove(f"{options.out}/belay/{file}")


if __name__ == "__main__":
    main()
