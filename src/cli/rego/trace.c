/* SPDX-License-Identifier: Apache-2.0 */
/* An evaluation as lines of text: what began, held and failed (--explain). */
#include "cli/rego/trace.h"

#include "json/json.h"

enum { MAX_TRACE_BYTES = 64 << 20, MAX_INDENT = 64 };

static const struct {
	const char *word;
	char letter;
} words[] = {
	[BL_REGO_ENTER] = { "Enter", 'n' }, [BL_REGO_EVAL] = { "Eval", 'v' },
	[BL_REGO_OPERANDS] = { "", ' ' },   [BL_REGO_HELD] = { "Held", 'h' },
	[BL_REGO_FAIL] = { "Fail", 'f' },   [BL_REGO_EXIT] = { "Exit", 'x' },
	[BL_REGO_CASE] = { "", ' ' },       [BL_REGO_ERROR] = { "Error", 'e' },
	[BL_REGO_PRINT] = { "Print", 'p' }, [BL_REGO_NOTE] = { "Note", 't' },
};

static const struct {
	const char *name;
	const char *kinds;
} modes[] = {
	{ "off", NULL },    { "full", "nvhfxept" }, { "debug", "nvhfxept" },
	{ "fails", "nfe" }, { "notes", "pet" },     { "why", "e" },
};

/* On one line, however it was written. */
static void put_source(struct bl_buf *out, struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		bool blank = text.ptr[i] == '\n' || text.ptr[i] == '\t';

		if (!blank ||
		    (i && text.ptr[i - 1] != '\n' && text.ptr[i - 1] != '\t'))
			bl_buf_put_char(out, blank ? ' ' : text.ptr[i]);
	}
}

static void put_values(struct bl_buf *out, const struct bl_rego_event *event)
{
	if (event->kind == BL_REGO_EXIT) {
		bl_buf_puts(out, " = ");
		bl_json_write(out, event->value, BL_JSON_COMPACT);
	}
	for (uint32_t i = 0; i < event->count; i++) {
		bl_buf_printf(out, "%s%.*s = ", i ? ", " : "  | ",
			      BL_STR_ARG(event->names[i]));
		bl_json_write(out, event->values[i], BL_JSON_COMPACT);
	}
	if (event->kind == BL_REGO_FAIL &&
	    bl_value_is_defined(event->operands[0])) {
		bl_buf_puts(out, "  | compared: ");
		bl_json_write(out, event->operands[0], BL_JSON_COMPACT);
		bl_buf_puts(out, " and ");
		bl_json_write(out, event->operands[1], BL_JSON_COMPACT);
	}
}

static void put_line(struct bl_buf *out, const struct bl_rego_event *event)
{
	const struct bl_rego_mark *mark = event->mark;
	struct bl_str file = mark ? mark->file : event->file;
	uint32_t indent = event->depth + (mark ? mark->nesting : 0);

	if (!file.len)
		file = BL_STR("query");
	bl_buf_printf(out, "%.*s:%u ", BL_STR_ARG(file),
		      mark ? mark->line : event->line);
	for (uint32_t i = 1; i < indent && i < MAX_INDENT; i++)
		bl_buf_puts(out, "| ");
	bl_buf_printf(out, "%s ", words[event->kind].word);
	if (mark && mark->is_rule)
		bl_buf_put_str(out, mark->path);
	else
		put_source(out, mark ? mark->text : event->text);
	put_values(out, event);
	bl_buf_put_char(out, '\n');
}

/* {"message", "code", "location": {"file", "row"}} */
static void add_error(struct cli_trace *trace,
		      const struct bl_rego_event *event)
{
	struct bl_object_builder one;
	struct bl_object_builder place;

	bl_object_builder_init(&place, trace->arena);
	bl_object_builder_add(
		&place, BL_STR("file"),
		bl_value_string(bl_arena_copy_str(trace->arena, event->file)));
	bl_object_builder_add(&place, BL_STR("row"),
			      bl_value_integer(event->line));
	bl_object_builder_init(&one, trace->arena);
	bl_object_builder_add(
		&one, BL_STR("message"),
		bl_value_string(bl_arena_copy_str(trace->arena, event->text)));
	bl_object_builder_add(&one, BL_STR("code"),
			      bl_value_string(bl_str(event->code)));
	bl_object_builder_add(&one, BL_STR("location"),
			      bl_object_builder_end(&place));
	bl_array_builder_add(&trace->errors, bl_object_builder_end(&one));
}

static void notice(void *context, const struct bl_rego_event *event)
{
	struct cli_trace *trace = context;

	if (event->mark && trace->profile)
		cli_profile_notice(trace->profile, event);
	if (event->mark && trace->coverage.counts)
		cli_coverage_notice(&trace->coverage, event);
	if (event->kind == BL_REGO_PRINT) {
		bl_buf_put_str(&trace->printed, event->text);
		bl_buf_put_char(&trace->printed, '\n');
	}
	if (event->kind == BL_REGO_ERROR)
		add_error(trace, event);
	if (trace->explainer)
		bl_rego_explainer_notice(trace->explainer, event);
	if (trace->kinds)
		cli_trace_put(&trace->lines, trace->kinds, event);
	if (event->mark && trace->profile)
		cli_profile_resume(trace->profile);
}

const char *cli_trace_kinds(struct bl_str mode)
{
	for (size_t i = 0; i < BL_COUNT(modes); i++)
		if (bl_str_is(mode, modes[i].name))
			return modes[i].kinds ? modes[i].kinds : "";
	return NULL;
}

void cli_trace_put(struct bl_buf *out, const char *kinds,
		   const struct bl_rego_event *event)
{
	if (*kinds && strchr(kinds, words[event->kind].letter))
		put_line(out, event);
}

void cli_trace_reset(struct cli_trace *trace)
{
	bl_buf_reset(&trace->lines);
	bl_buf_reset(&trace->printed);
	bl_array_builder_init(&trace->errors, trace->arena);
}

bool cli_trace_init(struct cli_trace *trace, struct bl_arena *arena,
		    struct bl_str mode)
{
	if (!mode.ptr)
		mode = BL_STR("off");
	*trace = (struct cli_trace){ .arena = arena,
				     .kinds = cli_trace_kinds(mode) };
	bl_array_builder_init(&trace->errors, arena);
	bl_buf_init(&trace->lines, MAX_TRACE_BYTES);
	bl_buf_init(&trace->printed, MAX_TRACE_BYTES);
	trace->observer = (struct bl_rego_observer){ trace, notice };
	trace->wants_why = bl_str_is(mode, "why");
	return trace->kinds != NULL;
}

void cli_trace_clear(struct cli_trace *trace)
{
	bl_buf_clear(&trace->lines);
	bl_buf_clear(&trace->printed);
}
