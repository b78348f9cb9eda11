/* SPDX-License-Identifier: Apache-2.0 */
/* log_rows.c: from an entry of the journal to a row; see log_rows.h. */
#include "cli/log_rows.h"

#include "os/os.h"

enum {
	MAX_RULES = 3, /* of one row */
	MAX_WHY_BYTES = 160,
	ID_SHOWN = 14,      /* the time and four random characters */
	SECONDS_SHOWN = 19, /* of "2026-11-28T02:42:41.123Z" */
	DATE_LEN = 10,
};

static struct bl_str text_of(struct bl_value entry, const char *key)
{
	return bl_value_text(bl_object_find(entry, bl_str(key)));
}

static const struct {
	const char *name;
	enum cli_style style;
} verdicts[CLI_LOG_VERDICT_COUNT] = {
	[CLI_LOG_PASSED] = { "passed", CLI_PLAIN },
	[CLI_LOG_ALLOWED] = { "allowed", CLI_PLAIN },
	[CLI_LOG_CHANGED] = { "changed", CLI_BOLD },
	[CLI_LOG_ASKED] = { "asked", CLI_YELLOW },
	[CLI_LOG_DENIED] = { "denied", CLI_RED },
};

const char *cli_log_verdict_name(enum cli_log_verdict verdict)
{
	return verdicts[verdict].name;
}

static enum cli_log_verdict verdict_of(struct bl_value entry)
{
	struct bl_str enforced = text_of(entry, "enforced");

	if (bl_str_is(enforced, "deny"))
		return CLI_LOG_DENIED;
	if (bl_str_is(enforced, "ask"))
		return CLI_LOG_ASKED;
	if (bl_str_is(text_of(entry, "decision"), "modify"))
		return CLI_LOG_CHANGED;
	return bl_str_is(enforced, "allow") ? CLI_LOG_ALLOWED : CLI_LOG_PASSED;
}

/* ---- rules -------------------------------------------------------------- */

void cli_log_each_rule(struct bl_value findings,
		       void (*visit)(void *context, struct bl_str rule),
		       void *context)
{
	for (size_t i = 0; i < bl_value_count(findings); i++) {
		struct bl_value one = bl_value_item(findings, i);
		struct bl_str rule = text_of(one, "rule_id");

		if (!rule.len)
			rule = text_of(one, "package");
		if (rule.len)
			visit(context, rule);
	}
}

struct rule_list {
	struct bl_buf text;
	size_t count;
};

static void add_rule(void *context, struct bl_str rule)
{
	struct rule_list *list = context;

	if (list->count++ >= MAX_RULES)
		return;
	if (list->text.len)
		bl_buf_puts(&list->text, ", ");
	bl_buf_put_str(&list->text, rule);
}

static struct bl_str rules_of(struct bl_arena *arena, struct bl_value entry)
{
	static const char *const lists[] = { "findings", "allowed",
					     "monitored" };
	struct bl_value response = bl_object_find(entry, BL_STR("response"));
	struct rule_list list = { .count = 0 };
	struct bl_str rules;

	bl_buf_init(&list.text, 0);
	for (size_t i = 0; i < BL_COUNT(lists) && !list.count; i++)
		cli_log_each_rule(bl_object_find(response, bl_str(lists[i])),
				  add_rule, &list);
	rules = list.text.len ? bl_arena_copy_str(arena, bl_buf_str(&list.text))
			      : text_of(entry, "command");
	bl_buf_clear(&list.text);
	return rules;
}

/* ---- rows --------------------------------------------------------------- */

void cli_log_read(struct bl_arena *arena, struct bl_value entry,
		  struct cli_log_row *out_row)
{
	struct bl_value allowance = bl_object_find(entry, BL_STR("allowance"));
	struct bl_str state = text_of(allowance, "state");

	*out_row = (struct cli_log_row){
		.id = text_of(entry, "id"),
		.time = text_of(entry, "time"),
		.agent = text_of(entry, "profile"),
		.verdict = verdict_of(entry),
		.rule = rules_of(arena, entry),
		.about = text_of(entry, "about"),
		.why = text_of(entry, "reason"),
		.is_canary = bl_str_is(text_of(entry, "conversation"),
				       BL_CANARY_SESSION),
		.is_overridden = bl_str_is(state, "used"),
		.entry = entry,
	};
	if (!out_row->about.len)
		out_row->about = text_of(entry, "step");
	if (bl_str_is(state, "offered"))
		out_row->code = text_of(allowance, "code");
}

/* Is rule one of those in the row, or the pack of one? */
static bool has_rule(const struct cli_log_row *row, struct bl_str rule)
{
	for (size_t at = 0; at < row->rule.len;) {
		size_t end = bl_str_find(row->rule, BL_STR(", "), at);
		struct bl_str one = bl_str_slice(row->rule, at, end);

		if (bl_str_equal(one, rule) ||
		    (bl_str_has_prefix(one, rule) && one.len > rule.len &&
		     one.ptr[rule.len] == '/'))
			return true;
		at = end == SIZE_MAX ? row->rule.len : end + 2;
	}
	return false;
}

bool cli_log_takes(const struct cli_log_filter *filter,
		   const struct cli_log_row *row)
{
	return (!filter->denied || row->verdict == CLI_LOG_DENIED) &&
	       (!filter->since.len ||
		bl_str_compare(row->time, filter->since) >= 0) &&
	       (!filter->agent.len ||
		bl_str_equal(row->agent, filter->agent)) &&
	       (!filter->rule.len || has_rule(row, filter->rule));
}

/* ---- times -------------------------------------------------------------- */

/* A number and one letter; false: it is neither. */
static bool read_span(struct bl_str text, int64_t *out_ms)
{
	static const struct {
		char letter;
		int64_t seconds;
	} units[] = { { 's', 1 },
		      { 'm', 60 },
		      { 'h', 3600 },
		      { 'd', 86400 },
		      { 'w', 604800 } };
	int64_t count = 0;

	if (text.len < 2 || text.len > 8)
		return false;
	for (size_t i = 0; i + 1 < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		count = count * 10 + (text.ptr[i] - '0');
	}
	for (size_t i = 0; i < BL_COUNT(units); i++)
		if (text.ptr[text.len - 1] == units[i].letter) {
			*out_ms = count * units[i].seconds * 1000;
			return true;
		}
	return false;
}

/* "2026-11-28", and more of a time behind it. */
static bool is_date(struct bl_str text)
{
	static const char form[] = "0000-00-00T00:00:00";

	if (text.len < DATE_LEN)
		return false;
	for (size_t i = 0; i < text.len && i < sizeof(form) - 1; i++) {
		bool is_digit = text.ptr[i] >= '0' && text.ptr[i] <= '9';

		if (form[i] == '0' ? !is_digit : text.ptr[i] != form[i])
			return false;
	}
	return true;
}

enum bl_status cli_log_parse_since(struct bl_arena *arena, struct bl_str text,
				   struct bl_str *out_since,
				   struct bl_error *err)
{
	char time[BL_OS_TIME_TEXT_BYTES];
	int64_t ms;

	*out_since = text;
	if (is_date(text))
		return BL_OK;
	if (!read_span(text, &ms))
		return bl_fail(err, BL_USAGE,
			       "--since takes a span like 30m, 2h or 7d, or a "
			       "date like 2026-11-28, not '%.*s'",
			       BL_STR_ARG(text));
	bl_os_format_time(bl_os_wall_ms() - ms, time);
	*out_since = bl_arena_copy_str(arena, bl_str(time));
	return out_since->ptr ? BL_OK : bl_arena_fail(arena, err);
}

/* ---- for people --------------------------------------------------------- */

/* As one line, and no longer than max bytes. */
static void put_flat(struct cli *cli, struct bl_str text, size_t max)
{
	struct bl_buf flat;

	bl_buf_init(&flat, 0);
	for (size_t i = 0; i < text.len && i < max; i++)
		bl_buf_put_char(&flat, (unsigned char)text.ptr[i] < ' '
					       ? ' '
					       : text.ptr[i]);
	cli_put_text(&cli->out, 0, bl_buf_str(&flat));
	if (text.len > max)
		bl_buf_puts(&cli->out, "...");
	bl_buf_clear(&flat);
}

void cli_log_put(struct cli *cli, const struct cli_log_row *row)
{
	struct bl_str date = bl_str_slice(row->time, 0, DATE_LEN);
	struct bl_str time =
		bl_str_slice(row->time, DATE_LEN + 1, SECONDS_SHOWN);
	const char *name = verdicts[row->verdict].name;

	put_flat(cli, bl_str_slice(row->id, 0, ID_SHOWN), ID_SHOWN);
	bl_buf_printf(&cli->out, "  %.*s %.*s  %-8.*s  ", BL_STR_ARG(date),
		      BL_STR_ARG(time), BL_STR_ARG(row->agent));
	cli_put_styled(cli, verdicts[row->verdict].style, name);
	bl_buf_printf(&cli->out, "%*s", (int)(9 - strlen(name)), "");
	if (row->is_canary)
		bl_buf_puts(&cli->out, "[canary] ");
	put_flat(cli, row->about, SIZE_MAX);
	if (row->rule.len) {
		bl_buf_puts(&cli->out, "  [");
		put_flat(cli, row->rule, MAX_WHY_BYTES);
		bl_buf_puts(&cli->out, "]");
	}
	if (row->why.len) {
		bl_buf_puts(&cli->out, "  ");
		put_flat(cli, row->why, MAX_WHY_BYTES);
	}
	if (row->code.len)
		bl_buf_printf(&cli->out, "  (belay allow %.*s)",
			      BL_STR_ARG(row->code));
	bl_buf_put_char(&cli->out, '\n');
}
