/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_rules.c: belay deny, ask and exempt: write a rule or an exception into a
 * rulebook, and show by an example what now happens.  Comments and layout of the
 * rulebook stay (sources/policies/rulebook_edit.c).
 */
#include "cli/cli.h"
#include "cli/person.h"
#include "cli/question.h"
#include "json/json.h"
#include "os/os.h"

/* The options that deny, ask and exempt share. */
enum { OPT_GLOBAL = CLI_OPT_POLICY_COUNT, OPT_REASON, OPT_HOST, OPT_SHARED };

enum {
	RULE_OPT_READ = OPT_SHARED,
	RULE_OPT_WRITE,
	RULE_OPT_DELETE,
	RULE_OPT_MCP,
	RULE_OPT_TO,
	RULE_OPT_INSTEAD,
	RULE_OPT_NAME,
};

enum {
	EXEMPT_OPT_COMMAND = OPT_SHARED,
	EXEMPT_OPT_PATH,
	EXEMPT_OPT_REF,
	EXEMPT_OPT_UNTIL,
	EXEMPT_OPT_FOR,
};

#define GLOBAL_ROW                                                             \
	{                                                                      \
		"global", 0, CLI_FLAG, NULL,                                   \
			"in your own rulebook, for all projects"               \
	}

static const struct cli_option rule_options[] = {
	CLI_POLICY_ROWS,
	[OPT_GLOBAL] = GLOBAL_ROW,
	[OPT_REASON] = { "reason", 0, CLI_VALUE, "TEXT",
			 "why; the agent and the person read it" },
	[OPT_HOST] = { "host", 0, CLI_VALUE, "HOST",
		       "a host that is connected to, and those below it" },
	[RULE_OPT_READ] = { "read", 0, CLI_VALUE, "PATH",
			    "in place of a command: a path that is read" },
	[RULE_OPT_WRITE] = { "write", 0, CLI_VALUE, "PATH",
			     "in place of a command: a path that is changed" },
	[RULE_OPT_DELETE] = { "delete", 0, CLI_VALUE, "PATH",
			      "in place of a command: a path that is deleted" },
	[RULE_OPT_MCP] = { "mcp", 0, CLI_VALUE, "SERVER.TOOL",
			   "in place of a command: a tool of an MCP server" },
	[RULE_OPT_TO] = { "to", 0, CLI_VALUE, "NAME",
			  "only when the command goes to this branch or host" },
	[RULE_OPT_INSTEAD] = { "instead", 0, CLI_VALUE, "TEXT",
			       "what to do in its place" },
	[RULE_OPT_NAME] = { "name", 0, CLI_VALUE, "NAME",
			    "the rule's name, own/NAME (default: from the "
			    "pattern)" },
};

static const struct cli_option exempt_options[] = {
	CLI_POLICY_ROWS,
	[OPT_GLOBAL] = GLOBAL_ROW,
	[OPT_REASON] = { "reason", 0, CLI_VALUE, "TEXT",
			 "why; the agent and the person read it" },
	[OPT_HOST] = { "host", 0, CLI_VALUE, "HOST",
		       "a host that is connected to, and those below it" },
	[EXEMPT_OPT_COMMAND] = { "command", 0, CLI_VALUE, "PATTERN",
				 "only for this command" },
	[EXEMPT_OPT_PATH] = { "path", 0, CLI_VALUE, "PATH",
			      "only for this path" },
	[EXEMPT_OPT_REF] = { "ref", 0, CLI_VALUE, "REF",
			     "only for this branch or tag" },
	[EXEMPT_OPT_UNTIL] = { "until", 0, CLI_VALUE, "DATE",
			       "the last day on which it counts: 2026-12-31" },
	[EXEMPT_OPT_FOR] = { "for", 0, CLI_VALUE, "DAYS",
			     "so many days from today: 7d" },
};

_Static_assert(BL_COUNT(rule_options) <= CLI_MAX_OPTIONS, "too many options");

/* ---- the entry ------------------------------------------------------------------ */

/* `, key: "text"`; quoted as JSON does it, which is YAML, too. */
static void put_member(struct bl_buf *out, const char *key, struct bl_str text)
{
	if (!text.ptr)
		return;
	bl_buf_printf(out, "%s%s: ", out->len > 1 ? ", " : "", key);
	bl_json_write_string(out, text);
}

struct subject {
	size_t option; /* SIZE_MAX: the operand */
	const char *name;
};

static const struct subject subjects[] = {
	{ SIZE_MAX, "command" },     { RULE_OPT_READ, "read" },
	{ RULE_OPT_WRITE, "write" }, { RULE_OPT_DELETE, "delete" },
	{ RULE_OPT_MCP, "mcp" },     { OPT_HOST, "host" },
};

/* The one thing that the rule is about. */
static enum bl_status find_subject(struct cli *cli, const char **out_name,
				   struct bl_str *out_text,
				   struct bl_error *err)
{
	size_t count = 0;

	for (size_t i = 0; i < BL_COUNT(subjects); i++) {
		size_t option = subjects[i].option;
		struct bl_str text = option == SIZE_MAX
					     ? cli_operand(cli, 0)
					     : cli_value(cli, option);

		if (!text.ptr)
			continue;
		*out_name = subjects[i].name;
		*out_text = text;
		count++;
	}
	if (count == 1)
		return BL_OK;
	return bl_fail(err, BL_USAGE,
		       "give one command as one word, as in 'terraform "
		       "destroy', or one of --read, --write, --delete, --mcp "
		       "and --host");
}

static void put_rule(struct cli *cli, const char *subject, struct bl_str text,
		     struct bl_buf *out)
{
	bl_buf_put_char(out, '{');
	if (!strcmp(subject, "command")) {
		put_member(out, cli->command->name, text);
	} else {
		bl_buf_printf(out, "%s: {%s: ", cli->command->name, subject);
		bl_json_write_string(out, text);
		bl_buf_put_char(out, '}');
	}
	put_member(out, "to", cli_value(cli, RULE_OPT_TO));
	put_member(out, "reason", cli_value(cli, OPT_REASON));
	put_member(out, "instead", cli_value(cli, RULE_OPT_INSTEAD));
	put_member(out, "name", cli_value(cli, RULE_OPT_NAME));
	bl_buf_put_char(out, '}');
}

enum { MOST_DAYS = 3650 };

/* "7d" or "7" from today, as a date. */
static enum bl_status find_expiry(struct cli *cli, struct bl_str *out_date,
				  struct bl_error *err)
{
	struct bl_str text = cli_value(cli, EXEMPT_OPT_FOR);
	char date[BL_OS_TIME_TEXT_BYTES];
	int64_t days = 0;

	*out_date = cli_value(cli, EXEMPT_OPT_UNTIL);
	if (!text.ptr)
		return BL_OK;
	if (bl_str_has_suffix(text, BL_STR("d")))
		text.len--;
	for (size_t i = 0; i < text.len && days <= MOST_DAYS; i++)
		days = text.ptr[i] >= '0' && text.ptr[i] <= '9'
			       ? days * 10 + (text.ptr[i] - '0')
			       : MOST_DAYS + 1;
	if (out_date->ptr || !text.len || days > MOST_DAYS)
		return bl_fail(err, BL_USAGE,
			       "give --until DATE or --for DAYS, as in --for "
			       "7d; at most %d days",
			       MOST_DAYS);
	bl_os_format_time(bl_os_wall_ms() + days * 86400000, date);
	*out_date = bl_arena_printf(&cli->arena, "%.10s", date);
	return BL_OK;
}

static enum bl_status put_exception(struct cli *cli, struct bl_buf *out,
				    struct bl_error *err)
{
	struct bl_str expires;
	enum bl_status status = find_expiry(cli, &expires, err);

	bl_buf_put_char(out, '{');
	put_member(out, "rule", cli_operand(cli, 0));
	put_member(out, "command", cli_value(cli, EXEMPT_OPT_COMMAND));
	put_member(out, "path", cli_value(cli, EXEMPT_OPT_PATH));
	put_member(out, "ref", cli_value(cli, EXEMPT_OPT_REF));
	put_member(out, "host", cli_value(cli, OPT_HOST));
	put_member(out, "reason", cli_value(cli, OPT_REASON));
	if (!status)
		put_member(out, "expires", expires);
	bl_buf_put_char(out, '}');
	return status;
}

/* ---- the rulebook --------------------------------------------------------------- */

enum { MAX_RULEBOOK_BYTES = 4 << 20 };

/* The rulebook to write: of the project, or of the user. */
static enum bl_status find_rulebook(struct cli *cli, struct bl_str *out_path,
				    struct bl_error *err)
{
	struct bl_str dir = BL_STR("");
	enum bl_status status;

	if (cli_has(cli, OPT_GLOBAL) && cli_has(cli, CLI_OPT_GLOBAL_CONFIG)) {
		status = bl_policy_find_global(
			cli_value(cli, CLI_OPT_GLOBAL_CONFIG), BL_STR(""),
			&cli->arena, &dir, err);
	} else if (cli_has(cli, OPT_GLOBAL)) {
		status = cli_global_policies(cli, &dir, err);
		if (!status && !dir.len)
			status = bl_fail(err, BL_NOT_FOUND,
					 "you have no rulebook of your own: "
					 "run 'belay init --global'");
	} else {
		status = bl_policy_find_dir(cli_value(cli, CLI_OPT_POLICY_DIR),
					    &cli->arena, &dir, err);
	}
	if (status)
		return status;
	*out_path = bl_path_join(&cli->arena, dir, BL_STR("rulebook.yml"));
	return out_path->ptr ? BL_OK : bl_arena_fail(&cli->arena, err);
}

/* A link is followed: what it leads to is replaced, not the link. */
static enum bl_status write_entry(struct cli *cli, const char *section,
				  struct bl_str line, struct bl_str *out_path,
				  struct bl_error *err)
{
	struct bl_rulebook_entry entry = { .section = section, .entry = line };
	struct bl_file_info info = { .mode = 0644 };
	struct bl_str text;
	enum bl_status status = find_rulebook(cli, out_path, err);

	if (status)
		return status;
	(void)bl_path_resolve(&cli->arena, *out_path, out_path, NULL);
	entry.path = *out_path;
	status = bl_os_read_file(*out_path, 0, MAX_RULEBOOK_BYTES, &cli->arena,
				 &entry.text, &info, err);
	if (status == BL_NOT_FOUND)
		entry.text = BL_STR("");
	else if (status)
		return status;
	status = bl_rulebook_add(&entry, &cli->arena, &text, err);
	return status ? status
		      : bl_os_replace_file(*out_path, text, info.mode & 0777,
					   err);
}

/* ---- what now happens -------------------------------------------------------------- */

/* An example of a glob: "migrations/x", "drop_x". */
static struct bl_str example_of(struct cli *cli, struct bl_str glob)
{
	struct bl_str text = bl_arena_copy_str(&cli->arena, glob);
	char *out = (char *)(uintptr_t)text.ptr;
	size_t len = 0;

	for (size_t i = 0; out && i < glob.len; i++) {
		char c = glob.ptr[i];

		if (c == '*' && i + 1 < glob.len && glob.ptr[i + 1] == '*')
			continue;
		out[len++] = c == '*' || c == '?' ? 'x' : c;
	}
	text.len = len;
	if (bl_str_has_suffix(text, BL_STR(" ...")))
		text.len -= 4;
	return text;
}

/* The question that the example is; false: there is no good one. */
static bool find_example(struct cli *cli, const char *subject,
			 struct bl_str glob, struct cli_question *out)
{
	struct bl_str text = example_of(cli, glob);
	struct bl_str to = { NULL, 0 };
	const char *dot;

	if (!strcmp(subject, "delete")) {
		subject = "command";
		text = bl_arena_printf(&cli->arena, "rm -f '%.*s'",
				       BL_STR_ARG(text));
	} else if (!strcmp(subject, "mcp") &&
		   (dot = memchr(text.ptr, '.', text.len))) {
		text = bl_arena_printf(
			&cli->arena, "%.*s/%.*s", (int)(dot - text.ptr),
			text.ptr,
			(int)(text.len - (size_t)(dot - text.ptr) - 1),
			dot + 1);
	} else if (!strcmp(subject, "host")) {
		text = bl_arena_printf(&cli->arena, "https://%.*s/",
				       BL_STR_ARG(text));
	} else if (strcmp(cli->command->name, "exempt") != 0) {
		to = cli_value(cli, RULE_OPT_TO);
	}
	if (to.ptr)
		text = bl_arena_printf(&cli->arena, "%.*s origin %.*s",
				       BL_STR_ARG(text), BL_STR_ARG(to));
	return text.ptr && cli_question_about(bl_str(subject), text, out);
}

static enum bl_status show(struct cli *cli, struct bl_str rulebook,
			   const struct cli_question *question,
			   struct bl_error *err)
{
	struct bl_engine *engine = NULL;
	struct cli_question asked = *question;
	struct bl_reply reply;
	enum bl_status status = BL_OK;

	/* Of the project's rules: where the project is. */
	if (cli_has(cli, OPT_GLOBAL))
		status = bl_path_current(&cli->arena, &asked.cwd, err);
	else
		asked.cwd = bl_path_dir(bl_path_dir(rulebook));
	if (!status)
		status = cli_ask(cli, &asked, &engine, &reply, err);
	if (!status) {
		bl_buf_puts(&cli->out, "example: ");
		cli_put_text(&cli->out, 9, question->text);
		bl_buf_put_char(&cli->out, '\n');
		cli_put_decision(cli, &reply);
		bl_reply_clear(&reply);
	}
	bl_engine_free(engine);
	return status;
}

static void put_written(struct cli *cli, struct bl_str path, struct bl_str line)
{
	bl_buf_puts(&cli->out, "added to ");
	cli_put_text(&cli->out, 2, path);
	bl_buf_puts(&cli->out, "\n  - ");
	cli_put_text(&cli->out, 4, line);
	bl_buf_put_char(&cli->out, '\n');
}

/* Writes the line, says so, and shows an example where there is one. */
static int finish(struct cli *cli, const char *section, struct bl_buf *line,
		  const struct cli_question *example)
{
	struct bl_str text = bl_arena_copy_str(&cli->arena, bl_buf_str(line));
	struct bl_error err = { 0 };
	struct bl_str path;
	enum bl_status status =
		bl_buf_status(line) || !text.ptr
			? bl_fail_memory(&err)
			: write_entry(cli, section, text, &path, &err);

	bl_buf_clear(line);
	if (!status) {
		put_written(cli, path, text);
		if (example)
			status = show(cli, path, example, &err);
	}
	return status ? cli_fail(cli, &err) : 0;
}

/* ---- commands ------------------------------------------------------------------------ */

static int run_rule(struct cli *cli)
{
	struct cli_question example;
	struct bl_error err = { 0 };
	struct bl_str text;
	struct bl_buf line;
	const char *subject = NULL;
	enum bl_status status = find_subject(cli, &subject, &text, &err);

	if (!status)
		status = cli_check_person(cli, &err);
	if (status)
		return cli_fail(cli, &err);
	bl_buf_init(&line, 0);
	put_rule(cli, subject, text, &line);
	return finish(cli, "rules", &line,
		      find_example(cli, subject, text, &example) ? &example
								 : NULL);
}

static int run_exempt(struct cli *cli)
{
	struct bl_str command = cli_value(cli, EXEMPT_OPT_COMMAND);
	struct cli_question example;
	struct bl_error err = { 0 };
	struct bl_buf line;
	enum bl_status status = cli_check_person(cli, &err);

	if (status)
		return cli_fail(cli, &err);
	bl_buf_init(&line, 0);
	if (put_exception(cli, &line, &err)) {
		bl_buf_clear(&line);
		return cli_fail(cli, &err);
	}
	return finish(
		cli, "exceptions", &line,
		command.ptr && find_example(cli, "command", command, &example)
			? &example
			: NULL);
}

#define FOR_A_PERSON                                                           \
	"It is written into rulebook.yml of the project (--global: of your "   \
	"own), whose comments and layout stay; an example shows what now "     \
	"happens.  It wants a person at a terminal: no agent can run it.\n"

const struct cli_code cli_code_deny = {
	.options = rule_options,
	.option_count = BL_COUNT(rule_options),
	.most_operands = 1,
	.details =
		"The pattern is a command, and matches what would run in any "
		"spelling: 'rm -rf' is also 'rm --force -r'.\n\n" FOR_A_PERSON,
	.run = run_rule,
};

const struct cli_code cli_code_ask = {
	.options = rule_options,
	.option_count = BL_COUNT(rule_options),
	.most_operands = 1,
	.details = "As 'belay deny', but a person is asked.\n\n" FOR_A_PERSON,
	.run = run_rule,
};

const struct cli_code cli_code_exempt = {
	.options = exempt_options,
	.option_count = BL_COUNT(exempt_options),
	.least_operands = 1,
	.most_operands = 1,
	.details = "RULE is a rule of the packs or a whole pack ('belay packs "
		   "list').  One of --command, --path, --ref and --host and a "
		   "--reason are needed.\n\n" FOR_A_PERSON,
	.run = run_exempt,
};
