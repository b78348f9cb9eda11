#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the files of the shadow test's world: world.sh DIR makes DIR/{home,srv,tmp,etc,stubs}.
# Nothing outside of DIR is written.
set -eu
top=$1
mkdir -p "$top"/home/dev "$top"/srv "$top"/tmp "$top"/etc "$top"/stubs
cd "$top"
echo 'dev:x:0:0:Dev:/home/dev:/bin/bash' >etc/passwd
echo 'dev:x:0:' >etc/group
cp -a /etc/alternatives /etc/ld.so.cache etc/ 2>/dev/null || true

# Stand-ins for programs that would need another user.
for name in sudo doas; do
	cat >stubs/$name <<'END'
#!/bin/bash
while [ $# -gt 0 ]; do
	case $1 in
	-u | -g | -C | -p | -D | -R | -T | -h) shift 2 ;;
	--) shift && break ;;
	-* | *=*) shift ;;
	*) break ;;
	esac
done
exec "$@"
END
	chmod +x stubs/$name
done

HOME=$top/home/dev
export HOME GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z
cd "$HOME"
cat >.gitconfig <<'END'
[user]
	name = Dev
	email = dev@x.example
[init]
	defaultBranch = main
END
mkdir -p .ssh notes other/deep proj/src proj/build proj/data
echo key >.ssh/id_ed25519
echo 'export EDITOR=vi' >.profile
for file in notes/a.txt notes/b.txt other/keep.txt other/deep/c.txt; do
	printf 'one\ntwo words\nthree\n' >"$file"
done
cd proj
git init -q
printf 'int main(void) { return 0; }\n' >src/main.c
printf 'print("x")\n' >src/tool.py
printf 'one 1\ntwo 2\nthree 3\n' >data/list.txt
printf 'a b.txt\n-dash\nsp ace\n' >data/names.txt
printf '{"a": 1, "name": "x"}\n' >data/a.json
printf '#!/bin/sh\ntouch build/ran\n' >run.sh
chmod +x run.sh
printf 'all:\n\ttouch build/all\nclean:\n\trm -f build/*.o\nshow: all\n\tcat data/list.txt\n' >Makefile
printf 'build/\n' >.gitignore
printf '# proj\n' >README.md
: >'sp ace.txt'
git add -A
git commit -qm one
echo more >>README.md
git commit -qam two
git branch side
touch build/a.o build/b.o build/keep
ln -s ../other link
echo later >later.txt
