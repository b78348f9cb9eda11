# SPDX-License-Identifier: Apache-2.0
"""Nasty lines without end, from a seed.

Each line does little things to the files of the shadow test's world, in a roundabout
way: an action (rm, cp, sed -i, a redirection, ...) whose words are written in an odd way
(quotes, variables, expansions, decoding) inside of wrappers (sh -c, eval, xargs, find
-exec, functions, loops, traps, ...) several deep.
"""
import base64
import random

FILES = ("README.md", "src/main.c", "src/tool.py", "data/list.txt", "data/names.txt",
         "build/a.o", "build/keep", "later.txt", "sp ace.txt", "~/notes/a.txt",
         "~/notes/b.txt", "~/other/keep.txt", "link/keep.txt", "/tmp/t1", "../other/deep/c.txt",
         "./src/../README.md", "$HOME/notes/a.txt", "nowhere.txt")
NEW = ("new.txt", "build/new", "/tmp/n1", "~/notes/new.txt", "link/new.txt", "new dir/x",
       "src/n.c", "$PWD/new2.txt", "~/new3")
FOLDERS = ("src", "build", "data", "~/notes", "~/other", "link", "/tmp", ".", "..", "$HOME",
           "link/deep", "new.d")
GLOBS = ("build/*.o", "src/*", "*.md", "data/*.txt", "~/notes/*", "*/a*", "[a-l]*", "no*such",
         "b?ild/keep", "{src,data}/*", "link/*")
NAMES = ("*.o", "*.txt", "a*", "keep*", "*", "main.c", "?.txt")


class Maker:
    """Makes one line after the other.  The lines of a seed are always the same."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick = self.random.choice

    def chance(self, of_ten):
        return self.random.randrange(10) < of_ten

    # ---- words: the same text in many spellings -----------------------------------

    def quote(self, text):
        """text as one literal word."""
        return "'" + text.replace("'", "'\\''") + "'"

    def spell(self, path):
        """A path of the tables as a word; ~ and $ in front keep their meaning."""
        head, rest = "", path
        for start in ("~/", "$HOME/", "$PWD/"):
            if path.startswith(start):
                head, rest = start, path[len(start):]
        if path in ("$HOME", "~"):
            return path
        if not rest:
            return head
        return head + self.pick((self.plain, self.double, self.single, self.dollar,
                                 self.pieces, self.plain, self.plain))(rest)

    def plain(self, text):
        return "".join("\\" + c if c in " '\"$&;|<>()*?[]" else c for c in text)

    def double(self, text):
        return '"' + text + '"'

    def single(self, text):
        return self.quote(text)

    def dollar(self, text):
        return "$'" + "".join(f"\\x{ord(c):02x}" if self.chance(3) else c
                              for c in text) + "'"

    def pieces(self, text):
        at = self.random.randrange(len(text))
        return self.plain(text[:at]) + self.quote(text[at:])

    def file(self):
        return self.spell(self.pick(FILES))

    def new(self):
        return self.spell(self.pick(NEW))

    def folder(self):
        return self.spell(self.pick(FOLDERS))

    def files(self):
        if self.chance(3):
            return self.pick(GLOBS)
        return " ".join(self.file() for _ in range(self.random.randrange(1, 4)))

    # ---- actions -----------------------------------------------------------------------

    def action(self):
        return self.pick(ACTIONS)(self)

    # ---- wrappers ----------------------------------------------------------------------

    def line(self, depth=None):
        if depth is None:
            depth = self.pick((0, 1, 1, 1, 2, 2, 3))
        if depth == 0:
            return self.action()
        return self.pick(WRAPPERS)(self, depth - 1)

    def variable(self):
        return self.pick(("a", "b", "f", "x", "dir", "i"))


ACTIONS = (
    lambda m: f"rm {m.pick(('', '-f ', '-rf ', '-- ', '-v '))}{m.files()}",
    lambda m: f"rm -r {m.folder()}/{m.pick(('deep', 'a.o', 'x', '.'))}",
    lambda m: f"cp {m.file()} {m.new()}",
    lambda m: f"cp -r {m.folder()} {m.new()}",
    lambda m: f"cp -a {m.files()} {m.folder()}",
    lambda m: f"cp -t {m.folder()} {m.files()}",
    lambda m: f"mv {m.file()} {m.new()}",
    lambda m: f"mv {m.files()} {m.folder()}",
    lambda m: f"ln {m.pick(('-s ', '', '-sf ', '-f '))}{m.file()} {m.pick((m.new, m.folder))()}",
    lambda m: f"mkdir {m.pick(('', '-p '))}{m.new()}",
    lambda m: f"rmdir {m.folder()}",
    lambda m: f"touch {m.new()} {m.file()}",
    lambda m: f"chmod {m.pick(('600', 'u+x', '-R go-w', 'a=r'))} {m.files()}",
    lambda m: f"cat {m.files()}",
    lambda m: f"cat {m.file()} {m.pick(('>', '>>', '>|', '&>'))} {m.new()}",
    lambda m: f"echo hi {m.pick(('>', '>>'))} {m.new()}",
    lambda m: f"{m.pick(('>', '>>'))} {m.new()} printf '%s\\n' a b",
    lambda m: f": > {m.new()}",
    lambda m: f"grep {m.pick(('', '-n ', '-l ', '-c ', '-q '))}o {m.files()}",
    lambda m: f"grep -r {m.pick(('o', '-l o', 'o --include=*.c'))} {m.pick((m.folder(), ''))}",
    lambda m: f"sed -i s/o/0/ {m.files()}",
    lambda m: f"sed -n '1p;w {m.pick(('/tmp/w1', 'build/w'))}' {m.file()}",
    lambda m: f"tee {m.pick(('', '-a '))}{m.new()} < {m.file()}",
    lambda m: f"head -n 2 {m.file()} | tee {m.new()} | wc -l",
    lambda m: f"sort -o {m.new()} {m.file()}",
    lambda m: f"tar cf {m.new()} {m.folder()}",
    lambda m: f"tar czf /tmp/z.tgz -C {m.folder()} . && tar xzf /tmp/z.tgz -C {m.folder()}",
    lambda m: f"dd if={m.file()} of={m.new()} bs=1k count=1",
    lambda m: f"truncate -s 0 {m.file()}",
    lambda m: f"install -m 755 {m.file()} {m.new()}",
    lambda m: f"split -l 1 {m.file()} {m.pick(('/tmp/s.', 'build/s.'))}",
    lambda m: f"diff {m.file()} {m.file()}",
    lambda m: f"wc -l {m.files()}",
    lambda m: f"ls {m.pick(('', '-la ', '-R '))}{m.folder()}",
    lambda m: f"find {m.folder()} -name {m.quote(m.pick(NAMES))}",
    lambda m: f"find {m.folder()} -name {m.quote(m.pick(NAMES))} -delete",
    lambda m: f"find {m.folder()} -type f -exec {m.pick(('cat', 'rm', 'chmod 600', 'grep -l o'))}"
              f" {{}} {m.pick((';', '+')).replace(';', chr(92) + ';')}",
    lambda m: f"find {m.pick(('src', 'build', '~/notes', 'link/', '/tmp'))} -name "
              f"{m.quote(m.pick(NAMES))} | xargs {m.pick(('rm -f', 'cat', 'touch'))}",
    lambda m: f"find {m.folder()} -name {m.quote(m.pick(NAMES))} -print0 | xargs -0 {m.pick(('rm -f', 'cat', 'touch'))}",
    lambda m: f"git {m.pick(('add -A', 'status', 'log --oneline', 'diff', 'stash', 'checkout side', 'rm -q later.txt', 'commit -qam x', 'checkout -- README.md', 'clean -fd', 'reset --hard', 'mv README.md R.md', 'show HEAD:README.md', 'branch n', 'tag v1', 'restore .', 'clone -q . /tmp/cl', 'init -q /tmp/gi', 'archive -o /tmp/ar.tar HEAD', 'switch -q side', 'merge -q side', 'worktree add -q /tmp/wt side'))}",
    lambda m: f"make {m.pick(('', 'clean', 'show', '-n clean', '-s all'))}",
    lambda m: m.pick(("./run.sh", "sh run.sh", ". ./run.sh", "bash -n run.sh")),
    lambda m: f"python3 -c {m.quote(m.pick(PYTHON))}",
    lambda m: f"perl -i -pe s/o/0/ {m.file()}",
    lambda m: f"awk '{{ print > {m.pick(('build/aw', '/tmp/aw'))!r} }}' {m.file()}".replace(
        "> '", '> "').replace("' }'", "\" }'"),
    lambda m: f"gzip {m.pick(('', '-k ', '-c '))}{m.file()} > /tmp/gz",
    lambda m: f"zip -q {m.new()}.zip {m.files()}",
    lambda m: f"patch -p0 <<'E'\n--- later.txt\n+++ later.txt\n@@ -1 +1 @@\n-later\n+now\nE\n",
    lambda m: f"cmp {m.file()} {m.file()}",
    lambda m: f"curl -s http://192.0.2.{m.random.randrange(1, 9)}/x --max-time 1 -o {m.new()}",
    lambda m: f"mktemp {m.pick(('', '-d', '-p build', 'build/t.XXXX', '-t q.XXXX'))}",
)

PYTHON = ("open(\"build/py\", \"w\").write(\"x\")", "import os; os.remove(\"later.txt\")",
          "import shutil; shutil.copy(\"README.md\", \"/tmp/py\")",
          "import os; os.system(\"touch build/sys\")", "print(open(\"README.md\").read())",
          "import subprocess; subprocess.run([\"rm\", \"later.txt\"])")


def with_name(m, depth):
    """The program's name in a variable."""
    inner = m.action()
    program, _, rest = inner.partition(" ")
    name = m.variable()
    return f"{name}={program}; ${name} {rest}"


def with_word(m, _depth):
    name = m.variable()
    return f"{name}={m.file()}; {m.pick(('rm', 'cat', 'touch', 'sed -i s/o/0/'))} \"${name}\""


def with_parts(m, _depth):
    path = m.pick(("later.txt", "README.md", "build/keep"))
    at = m.random.randrange(1, len(path))
    return f"a={path[:at]} b={path[at:]}; {m.pick(('rm', 'cat', 'cp -t /tmp'))} $a${{b}}"


def with_expansion(m, _depth):
    return m.pick((
        "x=later.txt.bak; rm ${x%.bak}", "x=README.MD; cat ${x,,}", "x=Llater.txt; rm \"${x#L}\"",
        "unset x; touch ${x:-build/dflt}", "touch ${x:=build/asg}; rm $x", "set -- a later.txt; rm $2",
        "a=(README.md later.txt); cat \"${a[@]}\"", "a=(x later.txt); rm ${a[1]}",
        "x=y; y=later.txt; rm ${!x}", "x=build/q.o; touch \"${x/q/r}\"", "x=abcdef; touch build/${x:2:3}",
        "touch build/{p,q}{1,2}", "touch build/n$((3 * 7))", "declare -n r=t; t=later.txt; rm \"$r\"",
        "IFS=,; x=README.md,later.txt; cat $x", "printf -v x %s.txt later; rm $x",
        "read x <<< later.txt; rm $x", "x=$(echo later.txt); rm $x", "x=`echo later.txt`; rm `echo $x`",
        "mapfile -t a < data/list.txt; touch \"build/${a[0]% *}\"",
        "[[ -f later.txt ]] && rm later.txt || touch build/none",
        "case $PWD in */proj) rm later.txt;; *) rm README.md;; esac"))


def shell_text(m, depth):
    inner = m.line(depth)
    return f"{m.pick(('sh -c', 'bash -c', 'bash -ec', 'eval', 'dash -c'))} {m.quote(inner)}"


def heredoc(m, depth):
    inner = m.line(depth)
    if "\nE\n" in inner + "\n":
        return inner
    return f"{m.pick(('bash', 'sh', 'bash -s'))} <<'E'\n{inner}\nE"


def piped(m, depth):
    return f"{m.pick(('echo', 'printf %s'))} {m.quote(m.line(depth))} | {m.pick(('sh', 'bash'))}"


def decoded(m, depth):
    text = base64.b64encode(m.line(depth).encode()).decode()
    return m.pick((f"echo {text} | base64 -d | bash", f"eval \"$(base64 -d <<< {text})\"",
                   f"bash -c \"$(echo {text} | base64 --decode)\""))


def function(m, depth):
    name = m.pick(("f", "g", "go"))
    return f"{name}() {{ {m.line(depth)}\n}}; {name}"


def function_word(m, _depth):
    return f"f() {{ {m.pick(('rm -f', 'cat', 'touch'))} \"$1\"; }}; f {m.file()}; f {m.new()}"


def loop(m, depth):
    body = m.pick((f"{m.pick(('cat', 'rm -f', 'touch', 'cp -t /tmp'))} \"$i\"", m.line(depth)))
    return m.pick((f"for i in {m.files()}; do {body}\ndone",
                   f"n=0; while [ $n -lt 2 ]; do n=$((n+1)); {body}\ndone",
                   f"while read -r i; do {body}\ndone < data/names.txt",
                   f"printf '%s\\n' README.md later.txt | while read i; do {body}\ndone",
                   f"for ((k=0; k<2; k++)); do {m.line(depth)}\ndone",
                   f"until ! {m.pick(('true', 'false'))}; do {body}\nbreak; done"))


def chain(m, depth):
    joint = m.pick(("; ", " && ", " || ", "\n", " & wait; "))
    first, second = m.line(depth), m.line(depth)
    if "<<'E'" in first:
        joint = "\n"
    return first + joint + second


def somewhere(m, depth):
    return m.pick((f"cd {m.folder()} && {m.line(depth)}", f"(cd {m.folder()}; {m.line(depth)}\n)",
                   f"cd {m.folder()}; {m.line(depth)}", f"pushd {m.folder()}; {m.line(depth)}\npopd; {m.action()}",
                   f"mkdir -p build/nd && cd build/nd && {m.line(depth)}"))


def trapped(m, depth):
    return f"trap {m.quote(m.line(depth))} EXIT; {m.action()}"


def prefixed(m, _depth):
    return m.pick(("env", "env -i PATH=/usr/bin HOME=/home/dev", "nice -n 5", "timeout 5", "nohup", "stdbuf -oL",
                   "command", "setsid -w", "sudo", "time", "flock /tmp/lk", "env A=1", "xargs -a /dev/null",
                   "\\command", "exec", "sudo -u dev")) + " " + m.pick((
                       f"rm -f {m.file()}", f"cat {m.file()}", f"touch {m.new()}", f"cp {m.file()} {m.new()}"))


def condition(m, depth):
    test = m.pick(("true", "false", "[ -e README.md ]", "[ -e none ]", "grep -q one README.md", "[[ $HOME = /home/* ]]"))
    return f"if {test}; then {m.line(depth)}\nelse {m.action()}\nfi"


def group(m, depth):
    return m.pick((f"{{ {m.line(depth)}\n}} > {m.new()}", f"( {m.line(depth)}\n) 2>&1 | cat",
                   f"! {m.action()}", f"exec 3> {m.new()}; echo x >&3; {m.line(depth)}",
                   f"cat <({m.action()}\n) > {m.new()}", f"x=$({m.line(depth)}\n); echo \"$x\""))


def written(m, depth):
    name = m.pick(("/tmp/s.sh", "build/s.sh"))
    return f"cat > {name} <<'EOS'\n{m.line(depth)}\nEOS\n" + m.pick((
        f"sh {name}", f"bash {name} a", f"chmod +x {name}; {name if name[0] == '/' else './' + name}", f". {name if name[0] == '/' else './' + name}"))


def listed(m, _depth):
    return m.pick((f"echo {m.files()} | xargs {m.pick(('rm -f', 'cat', 'ls -l'))}",
                   "printf '%s\\0' later.txt 'sp ace.txt' | xargs -0 rm -f",
                   "ls build | xargs -I{} cp build/{} /tmp/x{}", "ls src | while read f; do cat src/$f; done",
                   "cat data/names.txt | xargs -d '\\n' touch --"))


WRAPPERS = (with_name, with_word, with_parts, with_expansion, shell_text, heredoc, piped, decoded,
            function, function_word, loop, chain, chain, somewhere, somewhere, trapped, prefixed,
            condition, group, written, listed)


def lines(count, seed):
    """count lines; the n-th of a seed is always the same."""
    out = []
    for n in range(count):
        out.append({"id": f"{seed}-{n}", "command": Maker(f"{seed}-{n}").line()})
    return out
