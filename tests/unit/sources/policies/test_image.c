/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images of policy directories (docs/formats/image.md): when they are used,
 * when not, and what a broken one can do.
 */
#include <fcntl.h>

#include "sources/policies/image.h"
#include "world.h"

#define ON_E "#     required_events: [E]\n"
#define DENY                                                                   \
	"deny contains {\"reason\": \"no\", \"rule_id\": \"R\"} if input.x "   \
	"== 1"

static struct bl_policy_event event;

static void begin(void)
{
	world_begin();
	event = (struct bl_policy_event){
		.name = BL_STR("E"),
		.canonical = BL_STR("tool.before"),
		.class = BL_CLASS_PERMISSION,
		.cwd = bl_str(world),
	};
}

/* Compiles, and keeps an image when that is right. */
static void compile(void)
{
	world_load();
	world_cache();
	CHECK_STATUS(
		bl_policy_load(&world_options, &arena, &diags, &set, &error),
		BL_OK);
	set = NULL;
}

/* Opens the images; closes what was opened. */
static enum bl_status opened(void)
{
	enum bl_status status =
		bl_policy_open(&world_options, &event, &arena, &set, &error);

	if (!status)
		bl_policy_close(set);
	return status;
}

/* The path of the one image there is. */
static struct bl_str image_path(void)
{
	struct bl_str *names;
	size_t count;

	if (bl_os_list_dir(world_images.dir, 10, &arena, &names, &count,
			   NULL) ||
	    count != 1)
		return (struct bl_str){ NULL, 0 };
	return bl_path_join(&arena, world_images.dir, names[0]);
}

static void simple(void)
{
	begin();
	world_policy("p", ON_E, DENY);
	compile();
	CHECK_STATUS(opened(), BL_OK);
}

/* ---- what is in it ---------------------------------------------------------- */

/* Only policies that may take part are there; those that join are. */
static void by_event(void)
{
	begin();
	world_policy("e", ON_E, DENY);
	world_policy("f", "#     required_events: [F]\n", DENY);
	world_policy("g", "#     required_events: [tool.*]\n", DENY);
	world_policy("h", ON_E "#     required_tools: [Bash]\n", DENY);
	world_policy("i", "#     required_signals: []\n", DENY);
	compile();
	REQUIRE(!bl_policy_open(&world_options, &event, &arena, &set, &error));
	CHECK_INT(set->dirs[BL_POLICY_PROJECT].policy_count, 3);
	CHECK_STR(set->dirs[BL_POLICY_PROJECT].policies[0].package,
		  "cupcake.policies.e");
	CHECK_STR(set->dirs[BL_POLICY_PROJECT].policies[1].package,
		  "cupcake.policies.g");
	CHECK_STR(set->dirs[BL_POLICY_PROJECT].policies[2].package,
		  "cupcake.policies.i");
	bl_policy_close(set);
	event.tool = BL_STR("Bash");
	REQUIRE(!bl_policy_open(&world_options, &event, &arena, &set, &error));
	CHECK_INT(set->dirs[BL_POLICY_PROJECT].policy_count, 4);
	bl_policy_close(set);
}

static void whole_rulebook(void)
{
	const struct bl_rulebook *book;

	begin();
	world_file(".belay/rulebook.yml",
		   "signals:\n"
		   "  a: {command: 'echo a', timeout_seconds: 7}\n"
		   "  b: {command: ['printf', '%s', 'x y'], "
		   "sandbox: readonly+network}\n"
		   "sandbox: strict\n"
		   "on_error: {PreToolUse: ask, '*': deny}\n"
		   "preprocess: {scripts: true}\n"
		   "telemetry: {enabled: true, format: text, destination: t}\n"
		   "builtins:\n"
		   "  protected_paths: {paths: ['src/', '~/x']}\n");
	world_program(".belay/signals/c", "#!/bin/sh\n");
	world_policy("p", ON_E, DENY);
	compile();
	REQUIRE(!bl_policy_open(&world_options, &event, &arena, &set, &error));
	book = &set->dirs[BL_POLICY_PROJECT].rulebook;
	CHECK(has_text(book->path, "/.belay/rulebook.yml"));
	REQUIRE(book->signal_count == 3);
	CHECK_STR(book->signals[0].name, "a");
	CHECK_STR(book->signals[0].command, "echo a");
	CHECK_INT(book->signals[0].kind, BL_SIGNAL_SHELL);
	CHECK_INT(book->signals[0].timeout_ms, 7000);
	CHECK_STR(book->signals[1].name, "b");
	CHECK_INT(book->signals[1].kind, BL_SIGNAL_ARGV);
	CHECK(!strcmp(book->signals[1].argv[2], "x y"));
	CHECK(!book->signals[1].argv[3]);
	CHECK_STR(book->signals[0].sandbox, "strict");
	CHECK_STR(book->signals[1].sandbox, "readonly+network");
	CHECK_STR(book->signals[2].name, "c");
	CHECK(has_text(bl_str(book->signals[2].argv[0]), "/.belay/signals/c"));
	CHECK(!book->signals[2].argv[1]);
	CHECK(has_text(book->signals[2].origin, "/.belay/signals/c"));
	REQUIRE(book->on_error_count == 2);
	CHECK_STR(book->on_error[0].event, "PreToolUse");
	CHECK_INT(book->on_error[0].verdict, BL_VERDICT_ASK);
	CHECK_STR(book->on_error[1].event, "*");
	CHECK_INT(book->on_error[1].verdict, BL_VERDICT_DENY);
	CHECK(book->inspect_scripts);
	CHECK(book->telemetry_enabled);
	CHECK(book->telemetry_is_text);
	CHECK_STR(book->telemetry_destination, "t");
	CHECK_INT(book->builtins,
		  1 << bl_policy_builtin_find(BL_STR("protected_paths")));
	CHECK_STR(bl_value_text(bl_value_item(
			  bl_object_find(
				  bl_object_find(book->builtin_config,
						 BL_STR("protected_paths")),
				  BL_STR("paths")),
			  0)),
		  "src/");
	bl_policy_close(set);
}

static void of_the_policy(void)
{
	const struct bl_policy *policy;

	begin();
	world_file(".belay/policies/test/p.rego",
		   "# METADATA\n# scope: package\n# title: a title\n"
		   "# custom:\n#   id: ID-1\n#   severity: LOW\n"
		   "#   routing:\n#     required_events: [E]\n"
		   "#     required_signals: [s]\n"
		   "#     demanded_signals: [t]\n"
		   "package cupcake.policies.p\nimport rego.v1\n"
		   "halt contains {\"reason\": \"h\"} if input.x == 2\n"
		   "deny contains {\"reason\": \"d\"} if input.x == 1\n");
	compile();
	REQUIRE(!bl_policy_open(&world_options, &event, &arena, &set, &error));
	REQUIRE(set->dirs[BL_POLICY_PROJECT].policy_count == 1);
	policy = &set->dirs[BL_POLICY_PROJECT].policies[0];
	CHECK_STR(policy->id, "ID-1");
	CHECK_STR(policy->severity, "LOW");
	CHECK_STR(policy->title, "a title");
	CHECK(has_text(policy->file, "/.belay/policies/test/p.rego"));
	REQUIRE(policy->signals.count >= 1 && policy->demanded.count == 1);
	CHECK_STR(policy->signals.items[0], "s");
	CHECK_STR(policy->demanded.items[0], "t");
	REQUIRE(policy->document_count == 2);
	CHECK_INT(policy->documents[0].verb, BL_VERB_HALT);
	CHECK_STR(policy->documents[0].path, "cupcake.policies.p.halt");
	CHECK_INT(policy->documents[0].line, 13);
	CHECK_STR(policy->documents[1].path, "cupcake.policies.p.deny");
	bl_policy_close(set);
}

/* ---- when it is used ---------------------------------------------------------- */

static void same_size(void)
{
	char path[512];
	int fd;

	simple();
	world_path(path, sizeof(path), ".belay/policies/test/p.rego");
	fd = open(path, O_WRONLY);
	if (fd < 0 || pwrite(fd, "#", 1, 0) != 1 || close(fd))
		abort();
	CHECK_STATUS(opened(), BL_NOT_FOUND);
	CHECK(has_text(bl_str(error.message), "p.rego has changed"));
}

/* The time of a file may be set back; that of its change not. */
static void time_set_back(void)
{
	char path[512];
	struct stat info;
	struct timespec times[2];
	int fd;

	simple();
	world_path(path, sizeof(path), ".belay/policies/test/p.rego");
	if (stat(path, &info))
		abort();
	fd = open(path, O_WRONLY);
	if (fd < 0 || pwrite(fd, "#", 1, 0) != 1 || close(fd))
		abort();
	times[0] = info.st_atim;
	times[1] = info.st_mtim;
	if (utimensat(AT_FDCWD, path, times, 0))
		abort();
	CHECK_STATUS(opened(), BL_NOT_FOUND);
}

static void files_come_and_go(void)
{
	static const char *const names[] = {
		".belay/policies/test/q.rego",
		".belay/policies/test/deep/q.rego",
		".belay/policies/all/q.rego",
		".belay/rulebook.yml",
		".belay/signals/s",
		".belay/system/q.rego",
		".belay/helpers/q.rego",
		".belay/policies/helpers/q.rego",
	};
	char path[512];

	for (size_t i = 0; i < BL_COUNT(names); i++) {
		simple();
		world_file(names[i], "");
		CHECK_STATUS(opened(), BL_NOT_FOUND);
		world_file(names[i], i == 3 ? "" : "package a\n");
		compile();
		CHECK_STATUS(opened(), BL_OK);
		world_path(path, sizeof(path), names[i]);
		if (unlink(path))
			abort();
		CHECK_STATUS(opened(), BL_NOT_FOUND);
	}
}

static void links(void)
{
	char link[512];
	char target[512];

	begin();
	world_policy("p", ON_E, DENY);
	world_file("a.rego", "package a\n");
	world_file("b.rego", "package b\n");
	world_path(link, sizeof(link), ".belay/policies/test/l.rego");
	world_path(target, sizeof(target), "a.rego");
	if (symlink(target, link))
		abort();
	compile();
	CHECK_STATUS(opened(), BL_OK);
	/* what it leads to changes */
	world_file("a.rego", "package c\n");
	CHECK_STATUS(opened(), BL_NOT_FOUND);
	compile();
	CHECK_STATUS(opened(), BL_OK);
	/* it leads elsewhere */
	world_path(target, sizeof(target), "b.rego");
	if (unlink(link) || symlink(target, link))
		abort();
	CHECK_STATUS(opened(), BL_NOT_FOUND);
	/* a link to nothing that then is a folder */
	world_path(link, sizeof(link), ".belay/policies/test/more");
	world_path(target, sizeof(target), "elsewhere");
	if (symlink(target, link))
		abort();
	compile();
	CHECK_STATUS(opened(), BL_OK);
	world_file("elsewhere/q.rego", "package q\n");
	CHECK_STATUS(opened(), BL_NOT_FOUND);
}

/* A file that has just been written may change again within the same tick. */
static void just_written(void)
{
	begin();
	world_policy("p", ON_E, DENY);
	world_load();
	world_cache();
	world_policy("p", ON_E, DENY "\n");
	CHECK_STATUS(
		bl_policy_load(&world_options, &arena, &diags, &set, &error),
		BL_OK);
	CHECK(!image_path().ptr);
	CHECK_STATUS(opened(), BL_NOT_FOUND);
	usleep(30000);
	CHECK_STATUS(
		bl_policy_load(&world_options, &arena, &diags, &set, &error),
		BL_OK);
	CHECK(image_path().ptr != NULL);
	CHECK_STATUS(opened(), BL_OK);
}

static void for_whom(void)
{
	simple();
	world_options.agent = BL_STR("other");
	CHECK_STATUS(opened(), BL_NOT_FOUND);
	world_options.agent = BL_STR("test");
	world_options.places[BL_POLICY_GLOBAL].path =
		world_options.places[BL_POLICY_PROJECT].path;
	CHECK_STATUS(opened(), BL_NOT_FOUND);
	world_options.places[BL_POLICY_GLOBAL].path = BL_STR("");
	CHECK_STATUS(opened(), BL_OK);
	world_options.cache = NULL;
	CHECK_STATUS(opened(), BL_NOT_FOUND);
}

static void newer_compiler(void)
{
	begin();
	world_policy("p", ON_E, DENY);
	world_program("compiler", "1");
	world_load();
	world_cache();
	world_images.compiler = bl_arena_printf(&arena, "%s/compiler", world);
	CHECK_STATUS(
		bl_policy_load(&world_options, &arena, &diags, &set, &error),
		BL_OK);
	CHECK_STATUS(opened(), BL_OK);
	world_program("compiler", "2");
	CHECK_STATUS(opened(), BL_NOT_FOUND);
}

/* Broken directories are compiled at each event, and say so each time. */
static void broken(void)
{
	begin();
	world_policy("p", ON_E, "deny contains 1 if {");
	compile();
	CHECK(!image_path().ptr);
	CHECK_STATUS(opened(), BL_NOT_FOUND);
}

/* A directory that is not there is a problem, with and without images. */
static void missing(void)
{
	simple();
	world_options.places[BL_POLICY_PROJECT].path = BL_STR("");
	world_options.places[BL_POLICY_PROJECT].missing =
		BL_STR("no such thing");
	REQUIRE(!bl_policy_open(&world_options, &event, &arena, &set, &error));
	REQUIRE(set->dirs[BL_POLICY_PROJECT].problem_count == 1);
	CHECK_STR(set->dirs[BL_POLICY_PROJECT].problems[0].text,
		  "no such thing");
	bl_policy_close(set);
}

/* ---- who may have written it ----------------------------------------------------- */

static void modes(void)
{
	struct bl_str path;

	simple();
	path = image_path();
	REQUIRE(path.ptr != NULL);
	if (chmod(path.ptr, 0660))
		abort();
	CHECK_STATUS(opened(), BL_NOT_FOUND);
	if (chmod(path.ptr, 0602))
		abort();
	CHECK_STATUS(opened(), BL_NOT_FOUND);
	if (chmod(path.ptr, 0600) || chmod(world_images.dir.ptr, 0777))
		abort();
	CHECK_STATUS(opened(), BL_NOT_FOUND);
	if (chmod(world_images.dir.ptr, 0700))
		abort();
	CHECK_STATUS(opened(), BL_OK);
	if (geteuid())
		return;
	if (chown(path.ptr, 12345, 12345))
		abort();
	CHECK_STATUS(opened(), BL_NOT_FOUND);
}

static void linked_image(void)
{
	struct bl_str path;
	char other[512];

	simple();
	path = image_path();
	REQUIRE(path.ptr != NULL);
	world_path(other, sizeof(other), "moved");
	if (rename(path.ptr, other) || symlink(other, path.ptr))
		abort();
	CHECK_STATUS(opened(), BL_NOT_FOUND);
	if (unlink(path.ptr) || mkdir(path.ptr, 0700))
		abort();
	CHECK_STATUS(opened(), BL_NOT_FOUND);
	if (rmdir(path.ptr) || mkfifo(path.ptr, 0600))
		abort();
	CHECK_STATUS(opened(), BL_NOT_FOUND);
}

/* A cache that cannot be written costs time, and nothing else. */
static void no_cache(void)
{
	begin();
	world_policy("p", ON_E, DENY);
	world_file("cache", "a file\n");
	compile();
	CHECK_STATUS(opened(), BL_NOT_FOUND);
	CHECK(has_code("policy/cache"));
}

/* ---- broken images ------------------------------------------------------------------ */

/* A copy that may be read as the records that it holds. */
static char *aligned_copy(struct bl_str image)
{
	char *copy = bl_arena_alloc(&arena, image.len);

	if (!copy)
		abort();
	memcpy(copy, image.ptr, image.len);
	return copy;
}

static void write_image(struct bl_str path, struct bl_str bytes)
{
	if (bl_os_replace_cached(path, bytes, 0600, &error))
		abort();
}

/* Is the decision that of the policies, whole? */
static bool is_right(void)
{
	return report.finding_count == 1 && !report.trouble_count &&
	       report.findings[0].verb == BL_VERB_DENY &&
	       bl_str_is(report.findings[0].rule_id, "R") &&
	       bl_str_is(report.findings[0].reason, "no") &&
	       bl_str_is(report.findings[0].policy->package,
			 "cupcake.policies.p");
}

enum outcome { REFUSED, RIGHT, WRONG };

/* The policies decide, or the image is refused; never anything else. */
static enum outcome decide(void)
{
	const struct bl_policy_options deciding = { .host.now_ns = 1 };
	enum outcome outcome;

	event.input = world_json("{\"x\":1}");
	if (bl_policy_open(&world_options, &event, &arena, &set, &error))
		return REFUSED;
	CHECK_STATUS(bl_policy_decide(set, &event, &deciding, &arena, &report,
				      &error),
		     BL_OK);
	outcome = is_right() ? RIGHT : WRONG;
	bl_policy_close(set);
	return outcome;
}

/*
 * Every byte that is used is under a checksum, or checked itself: an image with
 * a broken one is refused, or decides as if it were whole.
 */
static void flipped(void)
{
	struct bl_str path;
	struct bl_str image;
	size_t outcomes[3] = { 0 };

	begin();
	world_policy("p", ON_E, DENY);
	world_policy("q", "#     required_events: [F]\n", DENY);
	compile();
	CHECK_INT(decide(), RIGHT);
	path = image_path();
	REQUIRE(path.ptr != NULL);
	REQUIRE(!bl_os_read_file(path, 0, 1 << 20, &arena, &image, NULL,
				 &error));
	for (size_t i = 0; i < image.len; i += 1 + i / 400) {
		struct bl_str copy = bl_arena_copy_str(&arena, image);

		((char *)(uintptr_t)copy.ptr)[i] ^= (char)(1 << i % 8);
		write_image(path, copy);
		outcomes[decide()]++;
	}
	CHECK_INT(outcomes[WRONG], 0);
	CHECK(outcomes[REFUSED] > 400);
	for (size_t len = 0; len < image.len; len += 1 + len / 100) {
		write_image(path, (struct bl_str){ image.ptr, len });
		CHECK_STATUS(opened(), BL_NOT_FOUND);
	}
	write_image(path, image);
	CHECK_STATUS(opened(), BL_OK);
}

/* Makes the checksums right, as somebody who means harm does. */
static void forge(char *image, size_t len)
{
	struct policy_image_header *header = (void *)image;
	struct bl_seal seal;

	header->checksum = policy_image_checksum(header);
	if (!policy_image_parts(header, len, &seal))
		return;
	bl_seal_make(&seal, (void *)(image + header->sums_at));
	header->tables_checksum = policy_image_tables_checksum(header);
	header->checksum = policy_image_checksum(header);
}

static void forged(void)
{
	struct bl_str path;
	struct bl_str image;
	struct policy_image_header *header;

	simple();
	path = image_path();
	REQUIRE(path.ptr != NULL);
	REQUIRE(!bl_os_read_file(path, 0, 1 << 20, &arena, &image, NULL,
				 &error));
	for (size_t i = offsetof(struct policy_image_header, version);
	     i < image.len; i += 1 + i / 500) {
		char *copy = aligned_copy(image);

		header = (void *)copy;
		if (i >= header->code_at)
			break;
		copy[i] ^= (char)(1 << i % 8);
		forge(copy, image.len);
		write_image(path, (struct bl_str){ copy, image.len });
		(void)decide();
	}
}

/* A document that is not there, under the number that says so. */
static void forged_document(void)
{
	struct bl_str path;
	struct bl_str image;
	struct policy_image_header *header;
	struct policy_image_policy *policy;
	struct policy_image_document *document;
	char *copy;

	simple();
	path = image_path();
	REQUIRE(path.ptr != NULL);
	REQUIRE(!bl_os_read_file(path, 0, 1 << 20, &arena, &image, NULL,
				 &error));
	copy = aligned_copy(image);
	header = (void *)copy;
	policy = (void *)(copy + header->policies.at);
	document = (void *)(copy + policy->documents.at);
	document->path.len--;
	document->document = BL_REGO_NO_DOCUMENT;
	forge(copy, image.len);
	write_image(path, (struct bl_str){ copy, image.len });
	CHECK_STATUS(opened(), BL_NOT_FOUND);
	CHECK(has_text(bl_str(error.message), "a document"));
}

int main(void)
{
	RUN(by_event);
	RUN(whole_rulebook);
	RUN(of_the_policy);
	RUN(same_size);
	RUN(time_set_back);
	RUN(files_come_and_go);
	RUN(links);
	RUN(just_written);
	RUN(for_whom);
	RUN(newer_compiler);
	RUN(broken);
	RUN(missing);
	RUN(modes);
	RUN(linked_image);
	RUN(no_cache);
	RUN(flipped);
	RUN(forged);
	RUN(forged_document);
	world_end();
	return tap_end();
}
