/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_scan.c: belay scan: what the rules would stop in files that run commands,
 * before anybody runs them.  Reading the files is scan.c's; here are the folders,
 * the questions, and the findings.
 */
#include <stdlib.h>

#include "cli/question.h"
#include "cli/scan.h"
#include "json/json.h"
#include "os/os.h"

enum { OPT_LEVEL = CLI_OPT_POLICY_COUNT, OPT_FORMAT, OPT_JSON };

static const struct cli_option options[] = {
	CLI_POLICY_ROWS,
	[OPT_LEVEL] = { "level", 0, CLI_VALUE, "LEVEL",
			"as if the rulebook said this level (default: what it "
			"says; standard where there is no rulebook)" },
	[OPT_FORMAT] = { "format", 0, CLI_VALUE, "FORMAT",
			 "human (the default), json or sarif" },
	[OPT_JSON] = { "json", 0, CLI_FLAG, NULL, "the same as --format json" },
};

enum {
	MOST_FILES = 20000,
	MOST_NAMES = 20000, /* of one folder */
	MOST_DEPTH = 32,
	MOST_FINDINGS = 10000,
	FIRST_BYTES = 256, /* of a file, that may name a shell */
};

struct scan {
	struct cli *cli;
	struct bl_engine *engine;
	struct bl_diags diags;
	struct bl_str project; /* the current folder */
	size_t file_count;
	size_t piece_count;
	size_t unread_count; /* files that could not be read */
};

/* A file or folder that could not be read is said, and the scan goes on. */
static void unread(struct scan *scan, const struct bl_error *err)
{
	scan->unread_count++;
	cli_note("belay: %s\n", err->message);
}

/* ---- findings ---------------------------------------------------------------- */

/* Where a line of the file begins, behind its blanks. */
static struct bl_place place_of_line(struct bl_str text, uint32_t line)
{
	struct bl_place place = { .line = line, .column = 1 };
	size_t at = 0;

	for (uint32_t i = 1; i < line && at < text.len; i++) {
		size_t end = bl_str_find(text, BL_STR("\n"), at);

		at = end == SIZE_MAX ? text.len : end + 1;
	}
	while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t')) {
		at++;
		place.column++;
	}
	place.offset = at;
	return place;
}

/* The line of the file that a finding is about. */
static uint32_t line_of(const struct cli_scan_piece *piece,
			const struct bl_policy_finding *finding)
{
	struct bl_value span = bl_object_find(finding->raw, BL_STR("span"));
	int64_t offset = 0;
	uint32_t line;

	if (!bl_number_to_integer(bl_value_item(span, 0), &offset) ||
	    offset < 0)
		offset = 0;
	line = bl_place_at(piece->text, (size_t)offset).line - 1;
	return piece->line +
	       (line > piece->skipped ? line - piece->skipped : 0);
}

/* A finding and its line, to be put in order. */
struct located {
	const struct bl_policy_finding *finding;
	uint32_t line;
	size_t index;
};

static int compare(const void *a, const void *b)
{
	const struct located *one = a;
	const struct located *other = b;

	if (one->line != other->line)
		return one->line < other->line ? -1 : 1;
	return one->index < other->index ? -1 : 1;
}

/* A rule that holds for several commands of a line is said once. */
static bool is_repeated(const struct located *list, size_t i)
{
	for (size_t j = i; j-- > 0 && list[j].line == list[i].line;)
		if (bl_str_equal(list[j].finding->rule_id,
				 list[i].finding->rule_id))
			return true;
	return false;
}

static void add_finding(struct scan *scan, const struct cli_scan_file *file,
			const struct located *located)
{
	const struct bl_policy_finding *finding = located->finding;
	const struct bl_diag_source source = { file->path, file->text };
	struct bl_arena *arena = &scan->cli->arena;
	struct bl_str instead = finding->safe_alternative;
	const char *code = bl_arena_copy_str(arena, finding->rule_id).ptr;
	const char *hint =
		instead.len ? bl_arena_copy_str(arena, instead).ptr : NULL;
	bool refuses = bl_verb_refuses(finding->verb);

	bl_diags_add(&scan->diags,
		     refuses ? BL_SEVERITY_ERROR : BL_SEVERITY_WARNING,
		     code ? code : "", &source,
		     place_of_line(file->text, located->line), hint, "%.*s",
		     BL_STR_ARG(finding->reason));
}

static enum bl_status add_findings(struct scan *scan,
				   const struct cli_scan_file *file,
				   const struct cli_scan_piece *piece,
				   const struct bl_policy_report *report,
				   struct bl_error *err)
{
	struct located *list = bl_arena_new_array(file->arena, struct located,
						  report->finding_count + 1);
	size_t count = 0;

	if (!list)
		return bl_arena_fail(file->arena, err);
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct bl_policy_finding *one = &report->findings[i];

		if (one->verb == BL_VERB_ASK || bl_verb_refuses(one->verb))
			list[count++] =
				(struct located){ one, line_of(piece, one), i };
	}
	qsort(list, count, sizeof(*list), compare);
	for (size_t i = 0; i < count; i++)
		if (!is_repeated(list, i))
			add_finding(scan, file, &list[i]);
	return BL_OK;
}

/* ---- one file ------------------------------------------------------------------ */

static enum bl_status judge(struct scan *scan, const struct cli_scan_file *file,
			    const struct cli_scan_piece *piece,
			    struct bl_str folder, struct bl_error *err)
{
	struct cli_question question;
	struct bl_request request = { .payload = BL_STR("") };
	struct bl_reply reply;
	enum bl_status status;

	cli_question_about(BL_STR("command"), piece->text, &question);
	question.cwd = piece->is_in_project ? scan->project : folder;
	status = cli_question_payload(file->arena, &question, &request.payload,
				      err);

	if (!status)
		status = bl_engine_dispatch(scan->engine, &request, file->arena,
					    &reply, err);
	if (status)
		return status;
	if (reply.failure.len)
		status = bl_fail(err, BL_INVALID, "%.*s",
				 BL_STR_ARG(reply.failure));
	for (size_t i = 0; !status && i < reply.report.trouble_count; i++)
		if (reply.report.troubles[i].verdict >= BL_VERDICT_ASK)
			status = bl_fail(
				err, BL_INVALID, "%.*s",
				BL_STR_ARG(reply.report.troubles[i].text));
	if (!status)
		status = add_findings(scan, file, piece, &reply.report, err);
	bl_reply_clear(&reply);
	return status;
}

static enum bl_status judge_all(struct scan *scan, struct cli_scan_file *file,
				struct bl_error *err)
{
	struct bl_str folder;
	enum bl_status status = bl_path_resolve(
		file->arena, bl_path_dir(file->path), &folder, err);

	for (size_t i = 0; !status && i < file->count; i++)
		status = judge(scan, file, &file->pieces[i], folder, err);
	scan->piece_count += file->count;
	if (!status && file->unread_line)
		cli_note("belay: %.*s:%u: what '%.*s' runs is not read\n",
			 BL_STR_ARG(file->path), (unsigned)file->unread_line,
			 BL_STR_ARG(file->unread));
	return status;
}

static void scan_file(struct scan *scan, struct bl_str path,
		      cli_scan_reader *reader)
{
	struct bl_arena arena;
	struct bl_error err = { 0 };
	struct cli_scan_file file = { .arena = &arena, .path = path };
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	status = bl_os_read_file(path, 0, CLI_SCAN_FILE_BYTES, &arena,
				 &file.text, NULL, &err);
	if (!status && !reader)
		reader = cli_scan_reader_of(path, file.text);
	if (!status && !reader)
		status = bl_fail(&err, BL_INVALID,
				 "it is not a script, CI file, package.json, "
				 "Makefile or Dockerfile");
	if (!status)
		status = reader(&file, &err);
	if (!status)
		status = judge_all(scan, &file, &err);
	if (status) {
		bl_error_context(&err, "%.*s", BL_STR_ARG(path));
		unread(scan, &err);
	}
	bl_arena_clear(&arena);
	cli_show_progress(scan->cli, ++scan->file_count, "files");
}

/* ---- folders ---------------------------------------------------------------------- */

/* Its first line names a shell: of files without a suffix that may be run. */
static cli_scan_reader *reader_by_content(struct bl_str path,
					  const struct bl_file_info *info)
{
	char first[FIRST_BYTES];
	size_t got = 0;
	int fd = -1;

	if (!(info->mode & 0111) ||
	    memchr(bl_path_base(path).ptr, '.', bl_path_base(path).len) ||
	    bl_os_open(path, BL_OPEN_NO_LINK, &fd, NULL))
		return NULL;
	if (bl_os_read_at(fd, 0, first, sizeof(first), &got, NULL))
		got = 0;
	bl_os_close(fd);
	return cli_scan_reader_of(path, (struct bl_str){ first, got });
}

static bool is_left_out(struct bl_str name)
{
	return bl_str_is(name, ".git") || bl_str_is(name, "node_modules") ||
	       bl_str_is(name, ".hg");
}

static void scan_folder(struct scan *scan, struct bl_str folder, int depth);

static void scan_name(struct scan *scan, struct bl_str path, int depth)
{
	struct bl_file_info info;
	cli_scan_reader *reader;

	if (is_left_out(bl_path_base(path)) ||
	    bl_os_info_path(path, &info, NULL))
		return;
	if (info.type == BL_FILE_DIRECTORY) {
		scan_folder(scan, path, depth + 1);
		return;
	}
	if (info.type != BL_FILE_REGULAR)
		return;
	reader = cli_scan_reader_of(path, BL_STR(""));
	if (!reader)
		reader = reader_by_content(path, &info);
	if (reader)
		scan_file(scan, path, reader);
}

static void scan_folder(struct scan *scan, struct bl_str folder, int depth)
{
	struct bl_arena *arena = &scan->cli->arena;
	struct bl_error err = { 0 };
	struct bl_str *names;
	size_t count = 0;
	enum bl_status status = BL_OK;

	if (depth > MOST_DEPTH)
		status = bl_fail(&err, BL_LIMIT, "more than %d folders deep",
				 MOST_DEPTH);
	if (!status)
		status = bl_os_list_dir(folder, MOST_NAMES, arena, &names,
					&count, &err);
	for (size_t i = 0; !status && i < count; i++) {
		struct bl_str path =
			bl_str_is(folder, ".")
				? names[i]
				: bl_path_join(arena, folder, names[i]);

		if (scan->file_count >= MOST_FILES)
			status = bl_fail(&err, BL_LIMIT, "more than %d files",
					 MOST_FILES);
		else if (path.ptr)
			scan_name(scan, path, depth);
		else
			status = bl_arena_fail(arena, &err);
	}
	if (!status)
		return;
	bl_error_context(&err, "%.*s", BL_STR_ARG(folder));
	unread(scan, &err);
}

static void scan_operand(struct scan *scan, struct bl_str path)
{
	struct bl_file_info info;
	struct bl_error err = { 0 };

	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	if (bl_os_info_target(path, &info, &err))
		unread(scan, &err);
	else if (info.type == BL_FILE_DIRECTORY)
		scan_folder(scan, path, 0);
	else
		scan_file(scan, path, NULL);
}

/* ---- what is said --------------------------------------------------------------------- */

static void put_human(struct scan *scan)
{
	struct cli *cli = scan->cli;
	size_t found = scan->diags.error_count + scan->diags.warning_count;

	bl_diags_print(&scan->diags, cli->colour, &cli->out);
	if (scan->diags.dropped_count)
		bl_buf_printf(&cli->out, "and %zu more\n",
			      scan->diags.dropped_count);
	bl_buf_printf(&cli->out,
		      "%zu file%s, %zu command line%s, %zu finding%s\n",
		      scan->file_count, scan->file_count == 1 ? "" : "s",
		      scan->piece_count, scan->piece_count == 1 ? "" : "s",
		      found, found == 1 ? "" : "s");
}

static void put_json(struct scan *scan)
{
	bl_json_write_diags(&scan->cli->out, &scan->diags);
}

static void put_sarif(struct scan *scan)
{
	bl_json_write_sarif(&scan->cli->out, &scan->diags, BELAY_VERSION);
}

static const struct {
	const char *name;
	void (*put)(struct scan *scan);
} formats[] = {
	{ "human", put_human },
	{ "json", put_json },
	{ "sarif", put_sarif },
};

/* The index of the format that is wanted; the number of them: none such. */
static size_t format_of(struct cli *cli)
{
	struct bl_str wanted = cli_value(cli, OPT_FORMAT);
	size_t i = 0;

	if (!wanted.ptr)
		wanted = cli_has(cli, OPT_JSON) ? BL_STR("json")
						: BL_STR("human");
	while (i < BL_COUNT(formats) && !bl_str_is(wanted, formats[i].name))
		i++;
	return i;
}

static enum bl_status begin(struct scan *scan, struct bl_error *err)
{
	struct cli *cli = scan->cli;
	struct bl_str level = cli_value(cli, OPT_LEVEL);
	struct cli_question any;
	enum bl_status status =
		bl_path_current(&cli->arena, &scan->project, err);

	cli_question_about(BL_STR("command"), BL_STR(""), &any);
	any.cwd = scan->project;
	if (!status && level.ptr && !bl_level_parse(level, &any.level))
		status = bl_fail(err, BL_USAGE,
				 "--level is off, relaxed, standard or strict");
	if (!status && format_of(cli) == BL_COUNT(formats))
		status = bl_fail(err, BL_USAGE,
				 "--format is human, json or sarif");
	return status ? status
		      : cli_question_engine(cli, &any, &scan->engine, err);
}

static int run_scan(struct cli *cli)
{
	struct scan scan = { .cli = cli };
	struct bl_error err = { 0 };

	bl_diags_init(&scan.diags, &cli->arena);
	scan.diags.most = MOST_FINDINGS;
	if (begin(&scan, &err))
		return cli_fail(cli, &err);
	for (size_t i = 0; i < cli->operand_count; i++)
		scan_operand(&scan, cli_operand(cli, i));
	cli_show_progress(cli, 0, NULL);
	bl_engine_free(scan.engine);
	formats[format_of(cli)].put(&scan);
	if (scan.unread_count || scan.diags.out_of_memory)
		return 2;
	return scan.diags.error_count + scan.diags.warning_count ? 1 : 0;
}

const struct cli_code cli_code_scan = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = CLI_MAX_OPERANDS,
	.details =
		"Judges each command line in shell scripts, CI files "
		"(GitHub's workflows and actions, .gitlab-ci.yml), the scripts "
		"of package.json, the recipes of Makefiles, and RUN, CMD and "
		"ENTRYPOINT of Dockerfiles, as if an agent were to run it.  "
		"Nothing is run.  Of folders all such files are read, except "
		"those in .git and node_modules, and no links are followed.\n"
		"\n"
		"A refusal is an error, a question a warning.\n"
		"\n"
		"Exit status:\n"
		"  0      nothing was found\n"
		"  1      something was found\n"
		"  2      something could not be read, whatever was found\n",
	.run = run_scan,
};
