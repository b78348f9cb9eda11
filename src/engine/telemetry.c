/* SPDX-License-Identifier: Apache-2.0 */
/*
 * telemetry.c: a file an evaluation (docs/contracts/cupcake.md "Telemetry"), in
 * Cupcake's shape as far as that can be told without the event: where Cupcake
 * has the event, the response and what signals printed, there are names alone.
 */
#include "base/hex.h"
#include "engine/private.h"
#include "json/json.h"

enum {
	MAX_FILES = 10000, /* of one folder: it is for looking into a problem */
	UUID_BYTES = 16,
	UUID_TEXT_BYTES = 37,
	SPAN_TEXT_BYTES = 17,
};

/* One file in the making. */
struct record {
	const struct bl_reply *reply;
	struct bl_arena *arena;
	int64_t wall_ns;    /* when it began, since 1970 */
	int64_t started_ns; /* the same moment, monotonic */
	int64_t ended_ns;
	char trace[UUID_TEXT_BYTES];
	char root[SPAN_TEXT_BYTES];
};

/* ---- ids ------------------------------------------------------------------ */

/* RFC 9562, version 7: names of files sort by time. */
static enum bl_status new_trace(struct record *r, int64_t wall_ms,
				struct bl_error *err)
{
	static const size_t parts[] = { 4, 2, 2, 2, 6 };
	unsigned char bytes[UUID_BYTES];
	uint64_t ms = (uint64_t)wall_ms;
	char *to = r->trace;
	size_t from = 0;
	enum bl_status status = bl_os_random(bytes, sizeof(bytes), err);

	if (status)
		return status;
	for (size_t i = 0; i < 6; i++)
		bytes[i] = (unsigned char)(ms >> (40 - 8 * i));
	bytes[6] = (unsigned char)(0x70 | (bytes[6] & 0x0F));
	bytes[8] = (unsigned char)(0x80 | (bytes[8] & 0x3F));
	for (size_t i = 0; i < BL_COUNT(parts); i++) {
		bl_hex_encode(bytes + from, parts[i], to);
		to += 2 * parts[i];
		from += parts[i];
		if (from < UUID_BYTES)
			*to++ = '-';
	}
	return BL_OK;
}

static enum bl_status new_span(char out[SPAN_TEXT_BYTES], struct bl_error *err)
{
	unsigned char bytes[8];
	enum bl_status status = bl_os_random(bytes, sizeof(bytes), err);

	if (!status)
		bl_hex_encode(bytes, sizeof(bytes), out);
	return status;
}

/* ---- parts ---------------------------------------------------------------- */

static void add(struct bl_object_builder *to, const char *key,
		struct bl_value value)
{
	bl_object_builder_add(to, bl_str(key), value);
}

static void add_text(struct bl_object_builder *to, const char *key,
		     struct bl_str text)
{
	if (text.len)
		add(to, key, bl_value_string(text));
}

static int64_t in_ms(int64_t ns)
{
	return ns / 1000000;
}

static void add_times(const struct record *r, struct bl_object_builder *to,
		      int64_t start_ns, int64_t end_ns)
{
	add(to, "start_time_unix_nano",
	    bl_value_integer(r->wall_ns + start_ns - r->started_ns));
	add(to, "end_time_unix_nano",
	    bl_value_integer(r->wall_ns + end_ns - r->started_ns));
}

/* A part of the whole, with an id of its own. */
static void add_span(const struct record *r, struct bl_object_builder *to,
		     int64_t start_ns, int64_t end_ns)
{
	char span[SPAN_TEXT_BYTES];

	if (!new_span(span, NULL))
		add(to, "span_id",
		    bl_value_string(bl_arena_copy_str(r->arena, bl_str(span))));
	add(to, "parent_span_id", bl_value_string(bl_str(r->root)));
	add_times(r, to, start_ns, end_ns);
}

/* In place of the event: what kind it is of. */
static struct bl_value event_names(const struct record *r)
{
	const struct bl_agent_request *request = &r->reply->request;
	struct bl_object_builder made;

	bl_object_builder_init(&made, r->arena);
	add_text(&made, "hook_event_name", request->event_name);
	add_text(&made, "tool_name", request->tool_name);
	add_text(&made, "tool_kind",
		 bl_str(bl_tool_kind_name(request->tool_kind)));
	return bl_object_builder_end(&made);
}

static struct bl_value operations(const struct record *r)
{
	const struct bl_agent_request *request = &r->reply->request;
	struct bl_value input = request->input;
	const struct {
		const char *name;
		bool was_done;
	} rows[] = {
		{ "opencode_field_mapping", request->agent->renames_tools },
		{ "content_unification",
		  request->tool_kind == BL_TOOL_FILE_WRITE },
		{ "whitespace_normalization", request->command.ptr != NULL },
		{ "symlink_resolution",
		  bl_value_is_defined(bl_object_find(
			  input, BL_STR("resolved_file_path"))) },
	};
	struct bl_array_builder list;

	bl_array_builder_init(&list, r->arena);
	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if (rows[i].was_done)
			bl_array_builder_add(
				&list, bl_value_string(bl_str(rows[i].name)));
	return bl_array_builder_end(&list);
}

static struct bl_value enrichment(const struct record *r)
{
	int64_t end_ns = r->reply->report.phases[0].started_ns;
	struct bl_object_builder made;

	bl_object_builder_init(&made, r->arena);
	add_span(r, &made, r->started_ns, end_ns);
	add(&made, "operations", operations(r));
	add(&made, "duration_us",
	    bl_value_integer((end_ns - r->started_ns) / 1000));
	return bl_object_builder_end(&made);
}

static struct bl_value signals(const struct record *r,
			       const struct bl_policy_phase *phase)
{
	const struct bl_policy_report *report = &r->reply->report;
	struct bl_array_builder list;
	struct bl_object_builder made;

	bl_array_builder_init(&list, r->arena);
	for (size_t i = 0; i < phase->signal_count; i++) {
		const struct bl_signal_result *one =
			&report->signals[phase->first_signal + i];

		bl_object_builder_init(&made, r->arena);
		add_text(&made, "name", one->name);
		add(&made, "missing", bl_value_boolean(one->problem.len > 0));
		add(&made, "duration_ms",
		    bl_value_integer(in_ms(one->elapsed_ns)));
		add(&made, "exit_code",
		    bl_object_find(one->value, BL_STR("exit_code")));
		bl_array_builder_add(&list, bl_object_builder_end(&made));
	}
	bl_object_builder_init(&made, r->arena);
	add(&made, "signals", bl_array_builder_end(&list));
	return bl_object_builder_end(&made);
}

/* ---- decisions ------------------------------------------------------------ */

static const struct {
	const char *list;  /* of the decision set */
	const char *final; /* tag of the decision */
} verb_names[BL_VERB_COUNT] = {
	[BL_VERB_HALT] = { "halts", "Halt" },
	[BL_VERB_DENY] = { "denials", "Deny" },
	[BL_VERB_BLOCK] = { "blocks", "Block" },
	[BL_VERB_ASK] = { "asks", "Ask" },
	[BL_VERB_MODIFY] = { "modifications", "Modify" },
	[BL_VERB_ADD_CONTEXT] = { "add_context", "Allow" },
};

static struct bl_value finding(const struct record *r,
			       const struct bl_policy_finding *one)
{
	struct bl_object_builder made;

	bl_object_builder_init(&made, r->arena);
	if (one->policy)
		add_text(&made, "policy", one->policy->package);
	add_text(&made, "rule_id", one->rule_id);
	add_text(&made, "severity", one->severity);
	return bl_object_builder_end(&made);
}

static struct bl_value decision_set(const struct record *r,
				    const struct bl_policy_phase *phase)
{
	const struct bl_policy_finding *all =
		r->reply->report.findings + phase->first_finding;
	struct bl_object_builder made;

	bl_object_builder_init(&made, r->arena);
	for (int verb = BL_VERB_HALT; verb > BL_VERB_ALLOW; verb--) {
		struct bl_array_builder list;

		bl_array_builder_init(&list, r->arena);
		for (size_t i = 0; i < phase->finding_count; i++)
			if ((int)all[i].verb == verb)
				bl_array_builder_add(&list,
						     finding(r, &all[i]));
		add(&made, verb_names[verb].list, bl_array_builder_end(&list));
	}
	return bl_object_builder_end(&made);
}

/* {"Deny": {"rule_ids": [...]}}, of this directory alone. */
static struct bl_value final_decision(const struct record *r,
				      const struct bl_policy_phase *phase)
{
	const struct bl_policy_finding *all =
		r->reply->report.findings + phase->first_finding;
	enum bl_verb strongest = BL_VERB_ADD_CONTEXT;
	struct bl_array_builder list;
	struct bl_object_builder made;
	struct bl_value ids;

	for (size_t i = 0; i < phase->finding_count; i++)
		if (all[i].verb > strongest)
			strongest = all[i].verb;
	bl_array_builder_init(&list, r->arena);
	for (size_t i = 0; i < phase->finding_count; i++)
		if (all[i].verb == strongest)
			bl_array_builder_add(&list,
					     bl_value_string(all[i].rule_id));
	bl_object_builder_init(&made, r->arena);
	add(&made, "rule_ids", bl_array_builder_end(&list));
	ids = bl_object_builder_end(&made);
	bl_object_builder_init(&made, r->arena);
	add(&made, verb_names[strongest].final, ids);
	return bl_object_builder_end(&made);
}

static struct bl_value evaluation(const struct record *r, int origin)
{
	const struct bl_policy_report *report = &r->reply->report;
	const struct bl_policy_dir *dir = &r->reply->policies->dirs[origin];
	const struct bl_policy_phase *phase = &report->phases[origin];
	struct bl_array_builder list;
	struct bl_object_builder made;
	bool is_decided = false;

	bl_array_builder_init(&list, r->arena);
	for (size_t i = 0; i < report->route_count; i++) {
		const struct bl_policy_routed *routed = &report->routes[i];

		if (routed->dir != dir)
			continue;
		is_decided |= routed->route == BL_ROUTE_DECIDED;
		if (bl_route_runs(routed->route))
			bl_array_builder_add(
				&list,
				bl_value_string(routed->policy->package));
	}
	bl_object_builder_init(&made, r->arena);
	add(&made, "routed", bl_value_boolean(phase->has_run));
	add(&made, "matched_policies", bl_array_builder_end(&list));
	add(&made, "wasm_decision_set", decision_set(r, phase));
	add(&made, "final_decision", final_decision(r, phase));
	add(&made, "exit_reason",
	    bl_value_string(is_decided       ? BL_STR("global_refused")
			    : phase->has_run ? BL_STR("evaluated")
					     : BL_STR("not_routed")));
	return bl_object_builder_end(&made);
}

static struct bl_value phases(const struct record *r)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, r->arena);
	for (int i = 0; i < BL_POLICY_ORIGINS; i++) {
		const struct bl_policy_phase *phase =
			&r->reply->report.phases[i];
		struct bl_object_builder made;

		if (!r->reply->policies->dirs[i].path.len)
			continue;
		bl_object_builder_init(&made, r->arena);
		add_span(r, &made, phase->started_ns, phase->ended_ns);
		add(&made, "name",
		    bl_value_string(bl_str(
			    bl_policy_origin_name((enum bl_policy_origin)i))));
		add(&made, "signals", signals(r, phase));
		add(&made, "evaluation", evaluation(r, i));
		add(&made, "duration_ms",
		    bl_value_integer(
			    in_ms(phase->ended_ns - phase->started_ns)));
		bl_array_builder_add(&list, bl_object_builder_end(&made));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value errors(const struct record *r)
{
	const struct bl_policy_report *report = &r->reply->report;
	struct bl_array_builder list;

	bl_array_builder_init(&list, r->arena);
	for (size_t i = 0; i < report->trouble_count; i++) {
		const struct bl_policy_trouble *one = &report->troubles[i];
		struct bl_object_builder made;

		bl_object_builder_init(&made, r->arena);
		add_text(&made, "kind",
			 bl_str(bl_policy_failure_name(one->failure)));
		if (one->policy)
			add_text(&made, "policy", one->policy->package);
		bl_array_builder_add(&list, bl_object_builder_end(&made));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value whole(const struct record *r)
{
	const struct bl_response *response = &r->reply->response;
	char when[BL_OS_TIME_TEXT_BYTES];
	struct bl_object_builder made;
	struct bl_object_builder said;

	bl_os_format_time(in_ms(r->wall_ns), when);
	bl_object_builder_init(&said, r->arena);
	add(&said, "effect",
	    bl_value_string(bl_str(bl_verb_name(response->effect))));
	add(&said, "exit_code", bl_value_integer(response->exit_code));
	bl_object_builder_init(&made, r->arena);
	add(&made, "span_id", bl_value_string(bl_str(r->root)));
	add_times(r, &made, r->started_ns, r->ended_ns);
	add(&made, "trace_id", bl_value_string(bl_str(r->trace)));
	add(&made, "harness",
	    bl_value_string(bl_str(r->reply->request.agent->name)));
	add(&made, "timestamp",
	    bl_value_string(bl_arena_copy_str(r->arena, bl_str(when))));
	add(&made, "raw_event", event_names(r));
	add(&made, "enrich", enrichment(r));
	add(&made, "phases", phases(r));
	add(&made, "response", bl_object_builder_end(&said));
	add(&made, "errors", errors(r));
	add(&made, "total_duration_ms",
	    bl_value_integer(in_ms(r->ended_ns - r->started_ns)));
	return bl_object_builder_end(&made);
}

/* ---- files ------------------------------------------------------------------ */

/*
 * For people: the members of an object, a line each, those below indented.  The
 * depth is that of the record above.
 */
static void put_lines(struct bl_buf *out, struct bl_value value, int depth)
{
	bool is_object = bl_value_is(value, BL_KIND_OBJECT);

	for (size_t i = 0; i < bl_value_count(value); i++) {
		struct bl_value item = is_object ? bl_object_value(value, i)
						 : bl_value_item(value, i);
		bool is_leaf = !bl_value_is(item, BL_KIND_OBJECT) &&
			       !bl_value_is(item, BL_KIND_ARRAY);

		bl_buf_printf(out, "%*s", 2 * depth, "");
		if (is_object) {
			bl_buf_put_str(out,
				       bl_value_text(bl_object_key(value, i)));
			bl_buf_put_char(out, ':');
		} else {
			bl_buf_put_char(out, '-');
		}
		if (is_leaf) {
			bl_buf_put_char(out, ' ');
			bl_json_write(out, item, BL_JSON_COMPACT);
		}
		bl_buf_put_char(out, '\n');
		if (!is_leaf)
			put_lines(out, item, depth + 1);
	}
}

/* The folder: relative ones start beside the policy directory. */
static struct bl_str folder_of(const struct record *r)
{
	const struct bl_policy_dir *dir =
		&r->reply->policies->dirs[BL_POLICY_PROJECT];
	struct bl_str given = dir->rulebook.telemetry_destination;

	if (!given.len)
		return bl_path_join(r->arena, dir->path, BL_STR("telemetry"));
	return bl_path_join(r->arena, bl_path_dir(dir->path), given);
}

/* Private, no link, and not full. */
static enum bl_status check_folder(struct bl_str folder, struct bl_arena *arena,
				   struct bl_error *err)
{
	struct bl_file_info info;
	struct bl_str *names;
	size_t count;
	enum bl_status status = bl_os_make_dirs(folder, 0700, err);

	if (!status)
		status = bl_os_info_path(folder, &info, err);
	if (!status && info.type != BL_FILE_DIRECTORY)
		status = bl_fail(err, BL_DENIED, "%.*s is a link",
				 BL_STR_ARG(folder));
	if (status)
		return status;
	status = bl_os_list_dir(folder, MAX_FILES, arena, &names, &count, err);
	if (status == BL_LIMIT)
		return bl_fail(err, BL_LIMIT,
			       "%.*s has more than %d files; remove some",
			       BL_STR_ARG(folder), MAX_FILES);
	return status;
}

static enum bl_status write_file(struct record *r, bool is_text,
				 struct bl_error *err)
{
	struct bl_str folder = folder_of(r);
	char when[BL_OS_TIME_TEXT_BYTES];
	struct bl_value value = whole(r);
	struct bl_str name;
	struct bl_buf text;
	enum bl_status status;

	bl_os_format_time(in_ms(r->wall_ns), when);
	when[10] = '_';
	when[13] = '-';
	when[16] = '-';
	name = bl_arena_printf(r->arena, "%.19s_%s.%s", when, r->trace,
			       is_text ? "txt" : "json");
	if (!folder.ptr || !name.ptr || bl_arena_status(r->arena))
		return bl_arena_fail(r->arena, err);
	status = check_folder(folder, r->arena, err);
	if (status)
		return status;
	bl_buf_init(&text, 0);
	if (is_text)
		put_lines(&text, value, 0);
	else
		bl_json_write(&text, value, BL_JSON_COMPACT);
	if (!is_text)
		bl_buf_put_char(&text, '\n');
	status = bl_buf_status(&text);
	name = bl_path_join(r->arena, folder, name);
	if (!status && name.ptr)
		status = bl_os_create_file(name, bl_buf_str(&text), 0600, err);
	bl_buf_clear(&text);
	return status;
}

enum bl_status bl_event_telemetry(const struct bl_event *event,
				  struct bl_error *err)
{
	const struct bl_reply *reply = event->reply;
	const struct bl_rulebook *book;
	struct record r = {
		.reply = reply,
		.arena = event->arena,
		.wall_ns = event->wall_ms * 1000000,
		.started_ns = event->started_ns,
		.ended_ns = bl_os_monotonic_ns(),
	};
	enum bl_status status;

	if (!reply->policies || reply->failure.len)
		return BL_OK;
	book = &reply->policies->dirs[BL_POLICY_PROJECT].rulebook;
	if (!book->telemetry_enabled)
		return BL_OK;
	status = new_trace(&r, event->wall_ms, err);
	if (!status)
		status = new_span(r.root, err);
	return status ? status : write_file(&r, book->telemetry_is_text, err);
}
