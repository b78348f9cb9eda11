/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_allow.c: belay allow: a person lets one refused action pass.  The code of
 * the refusal leads to its entry in the log, which has the action, the workspace
 * and the rules; the person sees the words of the refusal, and says yes.
 */
#include "allowance/allowance.h"
#include "cli/cli.h"
#include "cli/person.h"
#include "os/os.h"

enum { OPT_FOR, OPT_LIST, OPT_REVOKE, OPT_STATE_DIR, OPT_HOME, OPT_JSON };

static const struct cli_option options[] = {
	[OPT_FOR] = { "for", 0, CLI_DURATION, "TIME",
		      "as often as it is tried within this time, at most 8h "
		      "(default: once, within 1h)" },
	[OPT_LIST] = { "list", 0, CLI_FLAG, NULL, "show what is allowed now" },
	[OPT_REVOKE] = { "revoke", 0, CLI_VALUE, "CODE",
			 "allow it no longer; 'all': everything" },
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_JSON] = CLI_JSON_ROW,
};

/* ---- from the log ------------------------------------------------------------ */

static struct bl_str text_of(struct bl_value object, const char *name)
{
	return bl_value_text(bl_object_find(object, bl_str(name)));
}

static enum bl_status read_rules(struct cli *cli, struct bl_value list,
				 struct bl_allowance_action *action,
				 struct bl_error *err)
{
	size_t count = bl_value_count(list);
	struct bl_str *rules;

	if (!count || count > BL_ALLOWANCE_MAX_RULES)
		return bl_fail(err, BL_INVALID,
			       "the log's entry names no rules");
	rules = bl_arena_new_array(&cli->arena, struct bl_str, count);
	if (!rules)
		return bl_arena_fail(&cli->arena, err);
	for (size_t i = 0; i < count; i++)
		rules[i] = bl_value_text(bl_value_item(list, i));
	action->rules = rules;
	action->rule_count = count;
	return BL_OK;
}

/* Milliseconds of the first ten characters of an id, base 36. */
static int64_t time_of_id(struct bl_str id)
{
	int64_t ms = 0;

	for (size_t i = 0; i < id.len && id.ptr[i] != '-' && i < 10; i++) {
		char c = id.ptr[i];

		ms = ms * 36 + (c >= 'a' ? c - 'a' + 10 : c - '0');
	}
	return ms;
}

/* The refusal that had this code, as the allowance that it can become. */
static enum bl_status find_offer(struct cli *cli, struct bl_str code,
				 struct bl_allowance *out, struct bl_error *err)
{
	struct bl_str dir;
	struct bl_value entry;
	struct bl_value offer;
	enum bl_status status =
		cli_journal_dir(cli, OPT_STATE_DIR, OPT_HOME, &dir, err);

	if (!status)
		status = bl_journal_find_offer(dir, code, &cli->arena, &entry,
					       err);
	if (status)
		return status;
	offer = bl_object_find(entry, BL_STR("allowance"));
	*out = (struct bl_allowance){
		.action = { .digest = text_of(offer, "action"),
			    .agent = text_of(offer, "agent"),
			    .workspace = text_of(offer, "workspace") },
		.code = code,
		.what = text_of(entry, "reason"),
		.granted_ms = bl_os_wall_ms(),
	};
	if (out->granted_ms - time_of_id(text_of(entry, "id")) >
	    BL_ALLOWANCE_OFFER_MS)
		return bl_fail(err, BL_DENIED,
			       "the code %.*s is older than a day: let the "
			       "agent try again, and use the new one",
			       BL_STR_ARG(code));
	return read_rules(cli, bl_object_find(offer, BL_STR("rules")),
			  &out->action, err);
}

/* ---- the person -------------------------------------------------------------- */

static enum bl_status set_time(struct cli *cli, struct bl_allowance *allowance,
			       struct bl_error *err)
{
	uint64_t wanted_ms = cli->given[OPT_FOR].number / 1000000;

	allowance->is_once = !cli_has(cli, OPT_FOR);
	if (allowance->is_once)
		wanted_ms = BL_ALLOWANCE_ONCE_MS;
	if (!wanted_ms || wanted_ms > BL_ALLOWANCE_MAX_MS)
		return bl_fail(err, BL_USAGE,
			       "--for is from 1ms to 8h; a rule that is always "
			       "in the way has a mode in rulebook.yml");
	allowance->until_ms = allowance->granted_ms + (int64_t)wanted_ms;
	return BL_OK;
}

static void put_field(struct bl_buf *out, const char *label, struct bl_str text)
{
	bl_buf_printf(out, "  %-10s", label);
	cli_put_text(out, 12, text);
	bl_buf_put_char(out, '\n');
}

static void put_allowance(struct bl_buf *out, const struct bl_allowance *one)
{
	char until[BL_OS_TIME_TEXT_BYTES];

	bl_os_format_time(one->until_ms, until);
	put_field(out, "refused", one->what);
	for (size_t i = 0; i < one->action.rule_count; i++)
		put_field(out, i ? "" : "by", one->action.rules[i]);
	put_field(out, "agent", one->action.agent);
	put_field(out, "workspace", one->action.workspace);
	bl_buf_printf(out, "  %-10s%s until %s\n", "passes",
		      one->is_once ? "once," : "every time", until);
}

/* Shows what would pass, and reads a line.  DENIED: it is not a yes. */
static enum bl_status confirm(const struct bl_allowance *one,
			      struct bl_error *err)
{
	enum { MOST = 64, PATIENCE_MS = 120000 };
	char line[MOST];
	size_t got = 0;
	struct bl_str answer;
	struct bl_buf question;
	enum bl_status status;

	bl_buf_init(&question, 0);
	put_allowance(&question, one);
	bl_buf_puts(&question, "Let it pass? [y/N] ");
	cli_note("%.*s", (int)question.len, question.ptr);
	status = bl_buf_status(&question);
	bl_buf_clear(&question);
	if (status)
		return bl_fail_memory(err);
	status =
		bl_os_read_piece(0, PATIENCE_MS, line, sizeof(line), &got, err);
	if (status)
		return status;
	answer = bl_str_trim((struct bl_str){ line, got });
	if (bl_str_is(answer, "y") || bl_str_is(answer, "yes"))
		return BL_OK;
	return bl_fail(err, BL_DENIED, "nothing is allowed");
}

/* ---- on record ----------------------------------------------------------------- */

static enum bl_status record(struct cli *cli, const struct bl_allowance *one,
			     struct bl_error *err)
{
	struct bl_journal_options journal = { 0 };
	struct bl_journal_entry entry = {
		.time_ms = one->granted_ms,
		.event_name = "belay allow",
		.profile =
			bl_arena_copy_str(&cli->arena, one->action.agent).ptr,
		.decision = "allow",
		.source = BL_STR("person"),
		.payload_text = BL_STR(""),
		.allowance = bl_allowance_value(one, "granted", &cli->arena),
		.asked = BL_VERDICT_ALLOW,
		.enforced = BL_VERDICT_ALLOW,
	};
	char id[BL_JOURNAL_ID_BYTES];
	enum bl_status status = cli_journal_dir(cli, OPT_STATE_DIR, OPT_HOME,
						&journal.dir, err);

	if (!status)
		status = bl_journal_new_id(id, err);
	entry.id = id;
	entry.reason = bl_arena_printf(
		&cli->arena, "%.*s let it pass%s: %.*s", BL_STR_ARG(one->by),
		one->is_once ? " once" : "", BL_STR_ARG(one->what));
	if (!status && (!entry.profile || !entry.reason.ptr))
		status = bl_arena_fail(&cli->arena, err);
	if (!status)
		status = bl_journal_append(&journal, BL_EVENT_UNKNOWN, &entry,
					   1, err);
	return status;
}

/* Only an allowance that is on record counts: the record comes first. */
static enum bl_status allow(struct cli *cli, struct bl_allowance *out,
			    struct bl_error *err)
{
	char code[BL_ALLOWANCE_CODE_BYTES];
	struct bl_str given = cli_operand(cli, 0);
	struct bl_str state;
	enum bl_status status = cli_check_person(cli, err);

	if (!status && !bl_allowance_read_code(given, code))
		status = bl_fail(err, BL_USAGE,
				 "'%.*s' is not a code: six letters and "
				 "digits, as the refusal has it",
				 BL_STR_ARG(given));
	if (!status)
		status = find_offer(
			cli, bl_arena_copy_str(&cli->arena, bl_str(code)), out,
			err);
	if (!status)
		status = set_time(cli, out, err);
	if (!status)
		status = bl_os_user_name(&cli->arena, &out->by, err);
	if (!status)
		status = confirm(out, err);
	if (!status)
		status = cli_state_dir(cli, OPT_STATE_DIR, OPT_HOME, &state,
				       err);
	if (!status)
		status = record(cli, out, err);
	return status ? status : bl_allowance_grant(state, out, err);
}

/* ---- other forms ----------------------------------------------------------------- */

static enum bl_status revoke(struct cli *cli, struct bl_error *err)
{
	struct bl_str wanted = cli_value(cli, OPT_REVOKE);
	char code[BL_ALLOWANCE_CODE_BYTES];
	struct bl_str state;
	enum bl_status status =
		cli_state_dir(cli, OPT_STATE_DIR, OPT_HOME, &state, err);
	bool is_all = bl_str_is(wanted, "all");

	if (!status && !is_all && !bl_allowance_read_code(wanted, code))
		status = bl_fail(err, BL_USAGE,
				 "--revoke wants a code, or 'all'");
	if (status)
		return status;
	return bl_allowance_revoke(
		state, is_all ? (struct bl_str){ NULL, 0 } : bl_str(code), err);
}

static void put_list(struct cli *cli, const struct bl_allowances *list)
{
	struct bl_array_builder all;

	bl_array_builder_init(&all, &cli->arena);
	for (size_t i = 0; i < list->count; i++) {
		if (cli_has(cli, OPT_JSON)) {
			bl_array_builder_add(&all,
					     bl_allowance_value(&list->items[i],
								"granted",
								&cli->arena));
			continue;
		}
		cli_put_text(&cli->out, 0, list->items[i].code);
		bl_buf_put_char(&cli->out, '\n');
		put_allowance(&cli->out, &list->items[i]);
	}
	if (cli_has(cli, OPT_JSON))
		cli_put_json(cli, bl_array_builder_end(&all));
	else if (!list->count)
		bl_buf_puts(&cli->out, "nothing is allowed\n");
}

static enum bl_status list_all(struct cli *cli, struct bl_error *err)
{
	struct bl_allowances list;
	struct bl_str state;
	enum bl_status status =
		cli_state_dir(cli, OPT_STATE_DIR, OPT_HOME, &state, err);

	if (!status)
		status = bl_allowance_list(state, bl_os_wall_ms(), &cli->arena,
					   &list, err);
	if (status)
		return status;
	put_list(cli, &list);
	if (list.damaged_count)
		cli_note("belay: %zu damaged, which allow nothing; to take "
			 "them away: belay allow --revoke all\n",
			 list.damaged_count);
	return BL_OK;
}

static int run_allow(struct cli *cli)
{
	struct bl_allowance allowance = { 0 };
	struct bl_error err = { 0 };
	size_t forms = (size_t)cli_has(cli, OPT_LIST) +
		       cli_has(cli, OPT_REVOKE) + (cli->operand_count > 0);
	enum bl_status status;

	if (forms != 1)
		status = bl_fail(&err, BL_USAGE,
				 "give a code, --list or --revoke");
	else if (cli_has(cli, OPT_LIST))
		status = list_all(cli, &err);
	else if (cli_has(cli, OPT_REVOKE))
		status = revoke(cli, &err);
	else
		status = allow(cli, &allowance, &err);
	if (status)
		return cli_fail(cli, &err);
	if (cli->operand_count)
		bl_buf_puts(&cli->out, "It passes: let the agent try again.\n");
	if (cli_has(cli, OPT_REVOKE))
		bl_buf_puts(&cli->out, "It is allowed no longer.\n");
	return 0;
}

const struct cli_code cli_code_allow = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = 1,
	.details =
		"A refusal by a rule ends with a code.  This lets the same "
		"action (tool, input, folder, agent) pass the rules that "
		"refused it, in the same workspace.  It wants a person: a "
		"terminal, and a yes.  Refusals of the pack 'guard', of hooks "
		"and of policies of one's own have no code.\n"
		"\n"
		"--list and --revoke need no terminal.  Every allowance and "
		"every use of one is in the log ('belay log').\n"
		"\n"
		"Exit status: 77 when there is no person, or no yes.\n",
	.run = run_allow,
};
