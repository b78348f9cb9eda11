/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run-cases: runs .case files and prints TAP, one point per file.
 * Usage: run-cases [--accept] PROGRAM FOLDER [NAME...]
 * Inside the cases `belay` is PROGRAM.  NAMEs are cases of FOLDER without
 * their ending.  --accept rewrites the expected parts of those that differ.
 */
#include "cases.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every case runs in a folder whose name would break careless code. */
#define CASE_DIR "/tmp/belay case \xC3\xBC XXXXXX"
#define BIN_DIR  "/tmp/belay bin XXXXXX"

struct session {
	bool accept;
	const char *folder;
	char bin_dir[sizeof(BIN_DIR)];
	unsigned count, failed;
};

/* ---- checking one expectation ------------------------------------------- */

struct checked {
	const struct place *place;
	struct test_case *test;
	bool accept;
	bool differs; /* something is not as expected */
	bool failed;  /* in a way that accepting cannot mend */
};

/* Puts accepted text in the place of a section. */
static void replace(struct checked *checked, struct section *section,
		    const char *header, struct bl_str body)
{
	struct bl_buf out;

	bl_buf_init(&out, 0);
	case_print_section(&out, header, body);
	section->replaced = true;
	section->accepted =
		bl_arena_copy_str(checked->place->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
}

static void check_text(struct checked *checked, struct section *section,
		       const char *header, struct bl_str actual)
{
	if (match_text(checked->place, section->body, actual))
		return;
	checked->differs = true;
	if (checked->accept)
		replace(checked, section, header,
			match_accept(checked->place, section->body, actual));
	else
		match_print(checked->place, header, section->body, actual);
}

static void check_end(struct checked *checked, struct section *section,
		      const char *end)
{
	struct bl_arena *arena = checked->place->arena;
	struct bl_str wanted = bl_arena_printf(
		arena, "%s%s%s", section->words.list[0],
		section->words.count > 1 ? " " : "",
		section->words.count > 1 ? section->words.list[1] : "");

	if (bl_str_is(wanted, end))
		return;
	checked->differs = true;
	if (checked->accept)
		replace(checked, section,
			bl_arena_printf(arena, "exit %s", end).ptr,
			section->body);
	else
		printf("# exit is %s, not %s\n", end, wanted.ptr);
}

static void check_content(struct checked *checked, struct section *section)
{
	struct bl_error err;
	struct bl_str text = { 0 };
	const char *name = section->words.list[0];

	if (run_read_file(checked->place, name, &text, &err)) {
		checked->failed = true;
		printf("# %s\n", err.message);
		return;
	}
	check_text(checked, section,
		   bl_arena_printf(checked->place->arena, "content '%s'", name)
			   .ptr,
		   text);
}

/*
 * A run without a stdout, stderr or exit section expects nothing, nothing
 * and 0.  Such a section stands in here, and is added to the run when it is
 * accepted with another content.
 */
static struct section *stand_in(struct checked *checked, enum section_kind kind)
{
	struct section *section =
		bl_arena_new(checked->place->arena, struct section);
	struct bl_error err;

	section->kind = kind;
	if (kind == SECTION_EXIT)
		case_words(checked->place->arena, BL_STR("0"), &section->words,
			   &err);
	return section;
}

static void append_accepted(struct checked *checked, struct section *last,
			    const struct section *added)
{
	struct bl_str before = last->replaced ? last->accepted : last->raw;

	if (!added->replaced)
		return;
	last->accepted = bl_arena_printf(checked->place->arena, "%.*s%.*s",
					 BL_STR_ARG(before),
					 BL_STR_ARG(added->accepted));
	last->replaced = true;
}

static void check_run(struct checked *checked, size_t at,
		      const struct run_result *result)
{
	struct section *sections = checked->test->sections;
	struct section *parts[SECTION_KIND_COUNT] = { 0 };
	struct section *missing[3] = { 0 };
	static const enum section_kind kinds[] = { SECTION_STDOUT,
						   SECTION_STDERR,
						   SECTION_EXIT };
	size_t last = at;

	while (last + 1 < checked->test->count &&
	       run_is_part(sections[last + 1].kind)) {
		last++;
		parts[sections[last].kind] = &sections[last];
		if (sections[last].kind == SECTION_CONTENT)
			check_content(checked, &sections[last]);
	}
	for (size_t i = 0; i < BL_COUNT(kinds); i++)
		if (!parts[kinds[i]])
			parts[kinds[i]] = missing[i] =
				stand_in(checked, kinds[i]);
	check_text(checked, parts[SECTION_STDOUT], "stdout", result->out);
	check_text(checked, parts[SECTION_STDERR], "stderr", result->errors);
	check_end(checked, parts[SECTION_EXIT], result->end);
	for (size_t i = 0; i < BL_COUNT(kinds); i++)
		if (missing[i])
			append_accepted(checked, &sections[last], missing[i]);
}

/* ---- one case ----------------------------------------------------------- */

/* Setting up, or a run with all its parts. */
static enum bl_status do_section(struct checked *checked, size_t at,
				 struct bl_error *err)
{
	const struct section *section = &checked->test->sections[at];
	struct run_result result = { 0 };
	enum bl_status status;

	if (section->kind == SECTION_ABOUT || section->kind == SECTION_ENV)
		return BL_OK;
	if (section->kind != SECTION_RUN)
		return run_setup(checked->place, section, err);
	status = run_command(checked->place, checked->test, at, &result, err);
	if (!status)
		check_run(checked, at, &result);
	return status;
}

static enum bl_status run_sections(struct checked *checked,
				   struct bl_error *err)
{
	struct test_case *test = checked->test;
	bool after_run = false; /* nothing but its parts since */
	bool any_run = false;

	for (size_t i = 0; i < test->count; i++) {
		enum section_kind kind = test->sections[i].kind;
		enum bl_status status = BL_OK;

		if (!run_is_part(kind)) {
			after_run = kind == SECTION_RUN;
			any_run |= after_run;
			status = do_section(checked, i, err);
		} else if (!after_run) {
			status = bl_fail(err, BL_SYNTAX,
					 "this section belongs to no run");
		}
		if (status) {
			bl_error_context(err, "%s:%u", test->path,
					 test->sections[i].line);
			return status;
		}
	}
	return any_run ? BL_OK
		       : bl_fail(err, BL_SYNTAX, "%s: nothing is run",
				 test->path);
}

static void rewrite(const struct test_case *test)
{
	struct bl_buf out;
	FILE *file = fopen(test->path, "we");

	bl_buf_init(&out, 0);
	case_print(test, &out);
	if (!file || fwrite(out.ptr, 1, out.len, file) != out.len)
		perror(test->path);
	if (file)
		fclose(file);
	bl_buf_clear(&out);
}

/* How a case ended; *err says why when it is not told in notes already. */
static enum bl_status run_case(const struct session *session, const char *path,
			       struct bl_arena *arena, struct bl_error *err)
{
	char dir[] = CASE_DIR;
	struct test_case test;
	struct place place = { dir, session->bin_dir, arena };
	struct checked checked = { .place = &place,
				   .test = &test,
				   .accept = session->accept };
	enum bl_status status = case_load(arena, path, &test, err);

	if (status)
		return status;
	if (!mkdtemp(dir))
		return bl_fail_errno(err, errno, "%s", dir);
	status = run_sections(&checked, err);
	run_remove_tree(dir);
	if (status)
		return status;
	if (checked.differs && session->accept) {
		rewrite(&test);
		printf("# %s: rewritten\n", path);
		checked.differs = false;
	}
	if (checked.differs || checked.failed)
		return bl_fail(err, BL_INVALID, "see above");
	return BL_OK;
}

static void run_named(struct session *session, const char *name)
{
	struct bl_arena arena;
	struct bl_error err = { 0 };
	enum bl_status status;
	const char *path;

	bl_arena_init(&arena, NULL, 0, 0);
	path = bl_arena_printf(&arena, "%s/%s.case", session->folder, name).ptr;
	status = run_case(session, path, &arena, &err);
	session->count++;
	if (status && status != BL_UNSUPPORTED) {
		session->failed++;
		if (status != BL_INVALID)
			printf("# %s\n", err.message);
	}
	printf("%s %u - %s",
	       status && status != BL_UNSUPPORTED ? "not ok" : "ok",
	       session->count, name);
	if (status == BL_UNSUPPORTED)
		printf(" # SKIP %s", err.message);
	printf("\n");
	fflush(stdout);
	bl_arena_clear(&arena);
}

/* ---- all of them -------------------------------------------------------- */

static bool has_ending(const char *name, const char *ending)
{
	return bl_str_has_suffix(bl_str(name), bl_str(ending));
}

/* Runs the cases of folder/sub, sorted, those of its folders among them. */
static void run_folder(struct session *session, const char *sub)
{
	struct bl_arena arena;
	struct dirent **entries;
	const char *path;
	int count;

	bl_arena_init(&arena, NULL, 0, 0);
	path = bl_arena_printf(&arena, "%s/%s", session->folder, sub).ptr;
	count = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		struct bl_str full = bl_arena_printf(&arena, "%s%s%s", sub,
						     *sub ? "/" : "", name);

		if (entries[i]->d_type == DT_DIR && name[0] != '.')
			run_folder(session, full.ptr);
		else if (has_ending(name, ".case"))
			run_named(session,
				  bl_arena_copy_str(
					  &arena,
					  bl_str_slice(full, 0, full.len - 5))
					  .ptr);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	bl_arena_clear(&arena);
}

/* A folder with nothing but `belay`, a link to the program. */
static bool make_bin(struct session *session, const char *program)
{
	char *target = realpath(program, NULL);
	char link[sizeof(BIN_DIR) + sizeof("/belay")];
	bool done;

	memcpy(session->bin_dir, BIN_DIR, sizeof(BIN_DIR));
	if (!target || !mkdtemp(session->bin_dir)) {
		perror(program);
		free(target);
		return false;
	}
	chmod(session->bin_dir, 0755);
	snprintf(link, sizeof(link), "%s/belay", session->bin_dir);
	done = !symlink(target, link);
	free(target);
	return done;
}

int main(int argc, char **argv)
{
	struct session session = { 0 };

	if (argc > 1 && !strcmp(argv[1], "--accept")) {
		session.accept = true;
		argv++;
		argc--;
	}
	if (argc < 3) {
		fputs("usage: run-cases [--accept] PROGRAM FOLDER [NAME...]\n",
		      stderr);
		return 64;
	}
	umask(022);
	signal(SIGPIPE, SIG_IGN);
	session.folder = argv[2];
	if (!make_bin(&session, argv[1]))
		return 71;
	for (int i = 3; i < argc; i++)
		run_named(&session, argv[i]);
	if (argc == 3)
		run_folder(&session, "");
	if (!session.count) {
		printf("not ok 1 - no case is in %s\n", argv[2]);
		session.count = ++session.failed;
	}
	printf("1..%u\n", session.count);
	run_remove_tree(session.bin_dir);
	return session.failed > 0;
}
