/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads recorded events: a payload as an agent sends it, or a case with its
 * agent, signals and expectations.  Commands that try policies on events share
 * this reader, so that a file means the same to each of them.
 */
#include "cli/event_cases.h"

#include "cli/rego/files.h"
#include "json/json.h"
#include "os/os.h"

enum {
	MAX_CASE_BYTES = 16 << 20,
	MAX_CASES = 10000, /* of one folder */
	CASE_TIMEOUT_MS = 50000,
};

static enum bl_status add_case(struct cli *cli, struct cli_event_cases *cases,
			       const struct cli_event_case *one,
			       struct bl_error *err)
{
	void *room = bl_arena_room(&cli->arena, cases->items, cases->count,
				   &cases->cap, sizeof(*cases->items));

	if (!room)
		return bl_arena_fail(&cli->arena, err);
	cases->items = room;
	cases->items[cases->count++] = *one;
	return BL_OK;
}

static enum bl_status to_json(struct cli *cli, struct bl_value value,
			      struct bl_str *out_text, struct bl_error *err)
{
	struct bl_buf text;
	enum bl_status status;

	bl_buf_init(&text, MAX_CASE_BYTES);
	bl_json_write(&text, value, BL_JSON_COMPACT);
	status = bl_buf_status(&text);
	if (!status)
		*out_text = bl_arena_copy_str(&cli->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	if (status)
		return bl_fail(err, status, "the event is too long");
	return out_text->ptr ? BL_OK : bl_arena_fail(&cli->arena, err);
}

/* ---- files ------------------------------------------------------------------ */

/* The first key that is not one of the words; ptr NULL: all are. */
static struct bl_str unknown_key(struct bl_value object,
				 const char *const *words)
{
	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_str key = bl_value_text(bl_object_key(object, i));
		bool known = false;

		for (size_t j = 0; words[j] && !known; j++)
			known = bl_str_is(key, words[j]);
		if (!known)
			return key;
	}
	return (struct bl_str){ 0 };
}

static bool is_decision(struct bl_str word)
{
	for (enum bl_verb i = 0; i < BL_VERB_COUNT; i++)
		if (i != BL_VERB_ADD_CONTEXT &&
		    bl_str_is(word, bl_verb_name(i)))
			return true;
	return false;
}

static enum bl_status read_expect(struct bl_value expect,
				  struct cli_event_case *one,
				  struct bl_error *err)
{
	static const char *const keys[] = { "decision", "reason_contains",
					    NULL };
	struct bl_str unknown = unknown_key(expect, keys);
	struct bl_value reason =
		bl_object_find(expect, BL_STR("reason_contains"));

	if (!bl_value_is_defined(expect))
		return BL_OK;
	if (unknown.ptr)
		return bl_fail(err, BL_INVALID, "no such key of expect: %.*s",
			       BL_STR_ARG(unknown));
	one->decision =
		bl_value_text(bl_object_find(expect, BL_STR("decision")));
	one->reason_contains = bl_value_text(reason);
	if (!is_decision(one->decision))
		return bl_fail(err, BL_INVALID,
			       "expect.decision must be allow, modify, ask, "
			       "block, deny or halt");
	if (bl_value_is_defined(reason) && !one->reason_contains.len)
		return bl_fail(err, BL_INVALID,
			       "expect.reason_contains must be a text");
	return BL_OK;
}

static enum bl_status read_case(struct cli *cli, struct bl_value value,
				struct cli_event_case *one,
				struct bl_error *err)
{
	static const char *const keys[] = { "harness", "event", "signals",
					    "expect", NULL };
	struct bl_value harness = bl_object_find(value, BL_STR("harness"));
	struct bl_str unknown = unknown_key(value, keys);
	enum bl_status status;

	if (unknown.ptr)
		return bl_fail(err, BL_INVALID, "no such key of a case: %.*s",
			       BL_STR_ARG(unknown));
	one->agent = bl_agent_find(bl_value_text(harness));
	if (bl_value_is_defined(harness) && !one->agent)
		return bl_fail(err, BL_INVALID,
			       "harness must be the name of an agent");
	one->signals = bl_object_find(value, BL_STR("signals"));
	if (bl_value_is_defined(one->signals) &&
	    !bl_value_is(one->signals, BL_KIND_OBJECT))
		return bl_fail(err, BL_INVALID, "signals must be an object");
	status = read_expect(bl_object_find(value, BL_STR("expect")), one, err);
	if (status)
		return status;
	return to_json(cli, bl_object_find(value, BL_STR("event")),
		       &one->payload, err);
}

/* A payload names its event at the top; a case does not. */
static bool is_case(struct bl_value value)
{
	static const char *const names[] = { "hook_event_name",
					     "hookEventName" };

	for (size_t i = 0; i < BL_COUNT(names); i++)
		if (bl_value_is_defined(
			    bl_object_find(value, bl_str(names[i]))))
			return false;
	return bl_value_is(bl_object_find(value, BL_STR("event")),
			   BL_KIND_OBJECT);
}

static enum bl_status add_file(struct cli *cli, struct bl_str path,
			       struct cli_event_cases *cases,
			       struct bl_error *err)
{
	struct cli_event_case one = { .name = path };
	struct bl_value value;
	enum bl_status status = bl_os_read_file(
		path, 0, MAX_CASE_BYTES, &cli->arena, &one.payload, NULL, err);

	if (!status)
		status = cli_parse_data(cli, path, one.payload, &value, err);
	else
		bl_error_context(err, "%.*s", BL_STR_ARG(path));
	if (status)
		return status;
	one.signals = bl_value_undefined();
	if (is_case(value)) {
		status = read_case(cli, value, &one, err);
		if (status) {
			bl_error_context(err, "%.*s", BL_STR_ARG(path));
			return status;
		}
	}
	return add_case(cli, cases, &one, err);
}

static enum bl_status add_folder(struct cli *cli, struct bl_str path,
				 struct cli_event_cases *cases,
				 struct bl_error *err)
{
	struct bl_str *names = NULL;
	size_t count = 0;
	enum bl_status status = bl_os_list_dir(path, MAX_CASES, &cli->arena,
					       &names, &count, err);

	for (size_t i = 0; !status && i < count; i++) {
		struct bl_str child = bl_path_join(&cli->arena, path, names[i]);

		if (!child.ptr)
			status = bl_arena_fail(&cli->arena, err);
		else if (bl_str_has_suffix(child, BL_STR(".json")))
			status = add_file(cli, child, cases, err);
	}
	return status;
}

enum bl_status cli_add_event_cases(struct cli *cli, struct bl_str path,
				   struct cli_event_cases *cases,
				   struct bl_error *err)
{
	struct bl_file_info info;
	enum bl_status status = bl_os_info_path(path, &info, err);

	if (status) {
		bl_error_context(err, "%.*s", BL_STR_ARG(path));
		return status;
	}
	if (info.type == BL_FILE_DIRECTORY)
		return add_folder(cli, path, cases, err);
	return add_file(cli, path, cases, err);
}

/* ---- the journal ------------------------------------------------------------ */

/* The signals of a report, by name. */
static struct bl_value recorded_signals(struct cli *cli, struct bl_value entry)
{
	struct bl_value list = bl_object_find(
		bl_object_find(entry, BL_STR("response")), BL_STR("signals"));
	struct bl_object_builder all;

	bl_object_builder_init(&all, &cli->arena);
	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_value one = bl_value_item(list, i);
		struct bl_value value = bl_object_find(one, BL_STR("value"));

		if (bl_value_is_defined(value))
			bl_object_builder_add(&all,
					      bl_value_text(bl_object_find(
						      one, BL_STR("name"))),
					      value);
	}
	return bl_object_builder_end(&all);
}

static enum bl_status add_entry(struct cli *cli, struct bl_value entry,
				struct cli_event_cases *cases,
				struct bl_error *err)
{
	struct bl_value payload = bl_object_find(
		bl_object_find(entry, BL_STR("payload")), BL_STR("value"));
	struct cli_event_case one = {
		.name = bl_value_text(bl_object_find(entry, BL_STR("id"))),
		.event_name =
			bl_value_text(bl_object_find(entry, BL_STR("step"))),
		.signals = recorded_signals(cli, entry),
		.decision = bl_value_text(
			bl_object_find(entry, BL_STR("decision"))),
	};
	enum bl_status status = BL_OK;

	one.agent = bl_agent_find(
		bl_value_text(bl_object_find(entry, BL_STR("profile"))));
	if (!one.decision.len)
		return BL_OK; /* of a hook */
	if (!bl_value_is_defined(payload))
		one.problem = BL_STR("the log has no event "
				     "(belay eval --log-payload)");
	else if (!bl_value_is(bl_object_find(entry, BL_STR("response")),
			      BL_KIND_OBJECT))
		one.problem = BL_STR("the log has no report with its signals");
	else
		status = to_json(cli, payload, &one.payload, err);
	return status ? status : add_case(cli, cases, &one, err);
}

enum bl_status cli_add_journal_cases(struct cli *cli, struct bl_str dir,
				     size_t max, struct cli_event_cases *cases,
				     struct bl_error *err)
{
	struct bl_value *entries = NULL;
	size_t count = 0;
	size_t bad = 0;
	enum bl_status status = bl_journal_read_last(
		dir, max, &cli->arena, &entries, &count, &bad, err);

	for (size_t i = 0; !status && i < count; i++)
		status = add_entry(cli, entries[i], cases, err);
	if (!status && bad)
		cli_note("belay: %zu line%s of the log cannot be read\n", bad,
			 bad == 1 ? "" : "s");
	return status;
}

/* ---- deciding --------------------------------------------------------------- */

/*
 * `belay eval` also looks beside the directory that it is given.  Here that
 * would compare policies with themselves and find nothing.
 */
static enum bl_status check_within(struct cli *cli, struct bl_str given,
				   struct bl_str found, struct bl_error *err)
{
	struct bl_str absolute;
	struct bl_str real;
	bool is_link;
	enum bl_status status = cli_absolute(cli, given, &absolute, err);

	if (!status)
		status = bl_path_follow(&cli->arena, absolute, &real, &is_link,
					err);
	if (status)
		return status;
	if (bl_str_has_prefix(found, real) &&
	    (found.len == real.len || found.ptr[real.len] == '/'))
		return BL_OK;
	return bl_fail(err, BL_NOT_FOUND, "%.*s: no policy directory",
		       BL_STR_ARG(given));
}

enum bl_status cli_decider_init(struct cli_decider *decider, struct cli *cli,
				struct bl_str policy_dir, struct bl_error *err)
{
	enum bl_status status;

	*decider = (struct cli_decider){ .cli = cli };
	status = bl_policy_find_dir(policy_dir, &cli->arena,
				    &decider->policy_dir, err);
	if (!status && policy_dir.len)
		status =
			check_within(cli, policy_dir, decider->policy_dir, err);
	return status;
}

void cli_decider_clear(struct cli_decider *decider)
{
	for (size_t i = 0; i < BL_AGENT_MAX; i++)
		decider->engines[i] = bl_engine_free(decider->engines[i]);
}

/* Once for each agent, so its problems are told once. */
static enum bl_status load(struct cli_decider *decider,
			   const struct bl_engine_options *options,
			   struct bl_error *err)
{
	const struct bl_agent *agent = options->agent.agent;
	struct bl_engine **engine = &decider->engines[bl_agent_index(agent)];
	const struct bl_snapshot *snapshot;
	const struct bl_policy_set *set;
	enum bl_status status;

	if (*engine)
		return BL_OK;
	status = bl_engine_new(options, engine, err);
	if (status)
		return status;
	snapshot = bl_engine_snapshot(*engine);
	set = bl_snapshot_policies(snapshot);
	for (int i = 0; i < BL_POLICY_ORIGINS; i++) {
		const struct bl_policy_dir *dir = &set->dirs[i];

		for (size_t j = 0; j < dir->problem_count; j++)
			cli_note("belay: %s: %.*s\n", agent->name,
				 BL_STR_ARG(dir->problems[j].text));
	}
	bl_snapshot_unref(snapshot);
	return BL_OK;
}

enum bl_status cli_decide_case(struct cli_decider *decider,
			       struct cli_event_case *one,
			       struct bl_arena *arena,
			       struct bl_reply *out_reply, struct bl_error *err)
{
	struct bl_request request = {
		.payload = one->payload,
		.recorded_signals = one->signals,
	};
	struct bl_engine_options options;
	enum bl_status status =
		cli_policy_setup(decider->cli, one->payload, &options, err);

	if (one->agent)
		options.agent.agent = one->agent;
	else if (status)
		return status;
	if (!one->agent)
		request.detected_by = options.agent.detected_by;
	one->agent = options.agent.agent;
	options.agent.detected_by = NULL;
	options.agent.passes_unmodified = false;
	options.policies.dir = decider->policy_dir;
	if (decider->no_global) {
		options.policies.global_config = BL_STR("");
		options.policies.config_home = BL_STR("");
	}
	options.policies.options.timeout_ms = CASE_TIMEOUT_MS;
	status = load(decider, &options, err);
	if (status)
		return status;
	return bl_engine_dispatch(decider->engines[bl_agent_index(one->agent)],
				  &request, arena, out_reply, err);
}
