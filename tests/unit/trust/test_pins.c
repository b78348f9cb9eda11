/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <sys/resource.h>

#include "place.h"
#include "trust/trust.h"

static struct bl_trust_pins now;

static enum bl_status pin(const char *command)
{
	struct bl_str text = bl_str(command);
	struct bl_trust_commands commands = { bl_str(place), &text, 1 };

	now = (struct bl_trust_pins){ NULL, 0 };
	return bl_trust_make_pins(at(".cursor/hooks.json"), BL_STR("abc"),
				  &commands, &arena, &now, &error);
}

/* The digest of a pinned name, "none" when it is not pinned. */
static const char *digest(const char *name)
{
	struct bl_str path = at(name);

	for (size_t i = 0; i < now.count; i++) {
		if (bl_str_equal(now.items[i].path, path))
			return now.items[i].sha256;
	}
	return "none";
}

/* FIPS 180-4's example: the digest of "abc". */
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define EMPTY_FILE                                                             \
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void hook_file_is_pinned(void)
{
	CHECK_STATUS(pin(""), BL_OK);
	CHECK_INT(now.count, 1);
	CHECK(!strcmp(digest(".cursor/hooks.json"), ABC));
}

static void scripts_are_pinned(void)
{
	put("s/a.sh", "abc");
	put("bare.js", "abc");
	put("sp ace/b.sh", "abc");
	put("empty.sh", "");
	CHECK_STATUS(pin("./s/a.sh; node bare.js other.js ./empty.sh "
			 "'sp ace/b.sh' X=s/gone.sh ./s/a.sh"),
		     BL_OK);
	CHECK(!strcmp(digest("s/a.sh"), ABC));
	CHECK(!strcmp(digest("bare.js"), ABC));
	CHECK(!strcmp(digest("sp ace/b.sh"), ABC));
	CHECK(!strcmp(digest("empty.sh"), EMPTY_FILE));
	/* A word with a slash is watched though there is no such file... */
	CHECK(!strcmp(digest("s/gone.sh"), ""));
	/* ...and one without is not, until there is. */
	CHECK(!strcmp(digest("other.js"), "none"));
	CHECK(!strcmp(digest("node"), "none"));
}

/* Files are hashed in pieces of 64 KiB; the digests are sha256sum's. */
static void large_scripts(void)
{
	static const struct {
		size_t size;
		const char *sha256;
	} rows[] = {
		{ 65535, "6e1bebca6a8229364a162a72ef064826"
			 "c4cd7457bf54f190ef782bd9deff3e42" },
		{ 65536, "bf718b6f653bebc184e1479f1935b8da"
			 "974d701b893afcf49e701f3e2f9f9c5a" },
		{ 65537, "008ffc88d3c96a9f307524eb361e47c5"
			 "222a887fc45fa0c1fb8d429c5c23b430" },
		{ 200000, "2287d207f24a941ff3b56c04c8a25ad5"
			  "6b63e3023207b3bb5b4ac0c9869d74be" },
	};
	static char text[200001];

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		memset(text, 'a', rows[i].size);
		text[rows[i].size] = '\0';
		put("s/large.sh", text);
		CHECK_STATUS(pin("./s/large.sh"), BL_OK);
		CHECK(!strcmp(digest("s/large.sh"), rows[i].sha256));
	}
	/* The program that reads it is in the first piece. */
	memcpy(text, "#!./s/a.sh\n", 11);
	put("s/large.sh", text);
	CHECK_STATUS(pin("./s/large.sh"), BL_OK);
	CHECK(!strcmp(digest("s/a.sh"), ABC));
}

static void known_variables(void)
{
	static const char *const commands[] = {
		"$CURSOR_PROJECT_DIR/s/a.sh",
		"\"${CURSOR_PROJECT_DIR}\"/s/a.sh",
		"\"$CLAUDE_PROJECT_DIR/s/a.sh\"",
		"$PWD/s/a.sh",
		"~/s/a.sh",
		"$HOME/s/a.sh",
		"bash -c '${HOME}/s/a.sh'",
	};

	setenv("HOME", place, 1);
	for (size_t i = 0; i < BL_COUNT(commands); i++) {
		CHECK_STATUS(pin(commands[i]), BL_OK);
		CHECK(!strcmp(digest("s/a.sh"), ABC));
	}
	/* A user's name is not a variable, and a longer name is another one. */
	CHECK_STATUS(pin("$HOMER/s/a.sh"), BL_OK);
	CHECK(!strcmp(digest("s/a.sh"), "none"));
}

/* Words are relative to each folder that the command may change to. */
static void changed_folders(void)
{
	static const char *const commands[] = {
		"cd s && ./deep.sh",
		"pushd s; ./deep.sh",
		"env -C s ./deep.sh",
		"env --chdir=s ./deep.sh",
		"sh -c 'cd s; ./deep.sh'",
		"cat x | (cd s; exec ./deep.sh)",
		"cd s/.. && cd s && sh deep.sh",
	};
	struct bl_buf many;

	put("s/deep.sh", "abc");
	for (size_t i = 0; i < BL_COUNT(commands); i++) {
		CHECK_STATUS(pin(commands[i]), BL_OK);
		CHECK(digest("s/deep.sh") && !strcmp(digest("s/deep.sh"), ABC));
	}
	CHECK_STATUS(pin("grep -r deep.sh s"), BL_OK);
	CHECK(!strcmp(digest("s/deep.sh"), "none"));
	bl_buf_init(&many, 0);
	for (int i = 0; i < 20; i++)
		bl_buf_puts(&many, "cd s/../s/.; ");
	CHECK_STATUS(pin(many.ptr), BL_LIMIT);
	bl_buf_clear(&many);
}

/* As Python looks for modules: beside the script, in the folder, below. */
static void modules(void)
{
	static const char *const commands[] = {
		"python3 py/run.py",
		"python3 py",
		"/usr/bin/python3.11 ./py",
		"cd py && python3 -m run",
		"py/run.py",
		"py/tool",
		"PYTHONPATH=py python3 -c 'import run'",
	};

	put("py/run.py", "abc");
	put("py/json.py", "abc");
	put("py/kit/__init__.py", "abc");
	put("py/kit/deep/mod.py", "abc");
	put("py/notes.txt", "abc");
	put("py/tool", "#!/usr/bin/env python3\n");
	for (size_t i = 0; i < BL_COUNT(commands); i++) {
		CHECK_STATUS(pin(commands[i]), BL_OK);
		CHECK(!strcmp(digest("py/json.py"), ABC));
		CHECK(!strcmp(digest("py/kit/__init__.py"), ABC));
		CHECK(!strcmp(digest("py/kit/deep/mod.py"), ABC));
		CHECK(!strcmp(digest("py/notes.txt"), "none"));
	}
	CHECK_STATUS(pin("sh py/notes.txt"), BL_OK);
	CHECK(!strcmp(digest("py/json.py"), "none"));
}

static void too_many_modules(void)
{
	char name[32];

	for (int i = 0; i <= BL_TRUST_MAX_PINS; i++) {
		snprintf(name, sizeof(name), "many/m%d.py", i);
		put(name, "abc");
	}
	CHECK_STATUS(pin("python3 many/m1.py"), BL_LIMIT);
	CHECK(strstr(error.message, "belay trust add --folder"));
}

/* Folders in folders: all of them, or a failure that says so. */
static void deep_modules(void)
{
	put("nest/a/b/c/d/e/mod.py", "abc");
	put("nest/run.py", "abc");
	CHECK_STATUS(pin("python3 nest/run.py"), BL_OK);
	CHECK(!strcmp(digest("nest/a/b/c/d/e/mod.py"), ABC));
	put("nest/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/mod.py", "abc");
	CHECK_STATUS(pin("python3 nest/run.py"), BL_LIMIT);
	CHECK(strstr(error.message, "belay trust add --folder"));
}

/* The program that a script's first line names, also through env. */
static void interpreters(void)
{
	struct bl_buf line;

	put("s/run", "abc");
	put("s/by-env", "#!/usr/bin/env -S s/run -x\nabc");
	bl_buf_init(&line, 0);
	bl_buf_printf(&line, "#!%s/s/run\nabc", place);
	put("s/by-path", line.ptr);
	bl_buf_clear(&line);
	CHECK_STATUS(pin("s/by-env"), BL_OK);
	CHECK(!strcmp(digest("s/run"), ABC));
	CHECK_STATUS(pin("s/by-path"), BL_OK);
	CHECK(!strcmp(digest("s/run"), ABC));
	/* One of another, and of itself. */
	put("s/run", "#!s/by-env\n");
	CHECK_STATUS(pin("s/by-path"), BL_OK);
	CHECK(strcmp(digest("s/by-env"), "none") != 0);
}

static void odd_files_have_no_content(void)
{
	REQUIRE(!mkfifo("fifo", 0644) && !mkdir("dir", 0755));
	CHECK_STATUS(pin("./fifo ./dir ./dir/ /dev/null"), BL_OK);
	CHECK(!strcmp(digest("fifo"), ""));
	CHECK(!strcmp(digest("dir"), ""));
	/* A place where this user does not come, and a name too long. */
	CHECK_STATUS(pin("/proc/1/root/x/y ./loop"), BL_OK);
	REQUIRE(!symlink("loop", at("loop").ptr));
	CHECK_STATUS(pin("./loop"), BL_OK);
	CHECK(!strcmp(digest("loop"), ""));
}

/* It is there, and more than an absence. */
static void no_descriptors(void)
{
	struct rlimit before, none;

	put("s/a.sh", "abc");
	REQUIRE(!getrlimit(RLIMIT_NOFILE, &before));
	none = before;
	none.rlim_cur = 3;
	REQUIRE(!setrlimit(RLIMIT_NOFILE, &none));
	CHECK_STATUS(pin("./s/a.sh"), BL_SYSTEM);
	REQUIRE(!setrlimit(RLIMIT_NOFILE, &before));
	CHECK(strstr(error.message, "s/a.sh"));
}

/* The system's own programs belong to no workspace. */
static void system_files_are_left_out(void)
{
	CHECK_STATUS(pin("/bin/sh -c /usr/bin/env"), BL_OK);
	CHECK_INT(now.count, 1);
}

static void too_large(void)
{
	REQUIRE(!truncate(at("bare.js").ptr, BL_TRUST_MAX_PIN_BYTES + 1));
	CHECK_STATUS(pin("./bare.js"), BL_LIMIT);
	CHECK(strstr(error.message, "bare.js"));
	REQUIRE(!truncate(at("bare.js").ptr, BL_TRUST_MAX_PIN_BYTES));
	CHECK_STATUS(pin("./bare.js"), BL_OK);
	put("bare.js", "abc");
}

static void too_many(void)
{
	struct bl_buf command;

	bl_buf_init(&command, 0);
	for (int i = 0; i < BL_TRUST_MAX_PINS - 1; i++)
		bl_buf_printf(&command, "./%d ", i);
	CHECK_STATUS(pin(command.ptr), BL_OK);
	CHECK_INT(now.count, BL_TRUST_MAX_PINS);
	bl_buf_puts(&command, "./more");
	CHECK_STATUS(pin(command.ptr), BL_LIMIT);
	bl_buf_reset(&command);
	for (int i = 0; i < 5000; i++)
		bl_buf_puts(&command, "x ");
	CHECK_STATUS(pin(command.ptr), BL_LIMIT);
	bl_buf_clear(&command);
}

/* ---- comparing ---------------------------------------------------- */

static struct bl_str what;

static enum bl_trust_state compare(const struct bl_trust_record *record)
{
	return bl_trust_compare(record, now.items, now.count, &arena, &what);
}

static void same_content_is_trusted(void)
{
	struct bl_trust_record record = { .mode = BL_TRUST_PINNED };

	REQUIRE(pin("./s/a.sh ./s/new.sh") == BL_OK);
	record.pins = now.items;
	record.pin_count = now.count;
	REQUIRE(pin("./s/a.sh ./s/new.sh") == BL_OK);
	CHECK_INT(compare(&record), BL_TRUST_TRUSTED);
	CHECK_INT(what.len, 0);
	CHECK_INT(compare(NULL), BL_TRUST_UNKNOWN);
	CHECK_INT(bl_trust_compare(&record, now.items, now.count, &arena, NULL),
		  BL_TRUST_TRUSTED);
}

static void check_change(const struct bl_trust_record *record,
			 const char *command, const char *text)
{
	struct bl_trust_record folder = { .mode = BL_TRUST_FOLDER };

	REQUIRE(pin(command) == BL_OK);
	CHECK_INT(compare(record), BL_TRUST_CHANGED);
	CHECK_STR(what, text);
	/* A folder is trusted whatever it holds. */
	CHECK_INT(compare(&folder), BL_TRUST_TRUSTED);
}

static const char *sentence(const char *name, const char *end)
{
	return bl_arena_printf(&arena, "%s/%s %s", place, name, end).ptr;
}

static void changes_are_told_apart(void)
{
	struct bl_trust_record record = { .mode = BL_TRUST_PINNED };
	const char *command = "./s/a.sh ./s/new.sh";

	REQUIRE(pin(command) == BL_OK);
	record.pins = now.items;
	record.pin_count = now.count;
	put("s/a.sh", "abd");
	check_change(&record, command,
		     sentence("s/a.sh", "changed since it was trusted"));
	REQUIRE(!unlink("s/a.sh"));
	check_change(&record, command,
		     sentence("s/a.sh", "is gone since it was trusted"));
	put("s/a.sh", "abc");
	put("s/new.sh", "x");
	check_change(&record, command,
		     sentence("s/new.sh", "appeared since it was trusted"));
	REQUIRE(!unlink("s/new.sh"));
	check_change(&record, "./s/a.sh ./s/new.sh ./s/more.sh",
		     sentence("s/more.sh", "was added since it was trusted"));
	check_change(
		&record, "./s/a.sh",
		sentence("s/new.sh", "is no longer used since it was trusted"));
}

/* ---- owners of scripts -------------------------------------------- */

static void scripts_that_others_write(void)
{
	struct bl_str texts[2] = { BL_STR("true"),
				   BL_STR("sh -c './s/a.sh; x'") };
	struct bl_trust_commands commands = { bl_str(place), texts, 2 };
	enum bl_owner_verdict verdict = BL_OWNER_STRANGER;
	struct bl_str why;

	CHECK_STATUS(bl_trust_check_scripts(&commands, &arena, &verdict, &why,
					    &error),
		     BL_OK);
	CHECK_INT(verdict, BL_OWNER_OK);
	REQUIRE(!chmod("s/a.sh", 0666));
	CHECK_STATUS(bl_trust_check_scripts(&commands, &arena, &verdict, &why,
					    &error),
		     BL_OK);
	CHECK_INT(verdict, BL_OWNER_OTHERS_WRITE);
	CHECK(bl_str_find(why, BL_STR("s/a.sh"), 0) != SIZE_MAX);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(hook_file_is_pinned);
	RUN(scripts_are_pinned);
	RUN(large_scripts);
	RUN(known_variables);
	RUN(changed_folders);
	RUN(modules);
	RUN(too_many_modules);
	RUN(deep_modules);
	RUN(interpreters);
	RUN(odd_files_have_no_content);
	RUN(no_descriptors);
	RUN(system_files_are_left_out);
	RUN(too_large);
	RUN(too_many);
	RUN(same_content_is_trusted);
	RUN(changes_are_told_apart);
	RUN(scripts_that_others_write);
	place_close();
	return tap_end();
}
