/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The section "builtins" of a rulebook (docs/contracts/cupcake.md "Builtin
 * options").
 */
#include "json/json.h"
#include "sources/policies/private.h"
#include "yaml/yaml.h"

/* The kinds of values of options; each kind is a row of kinds below. */
enum option_kind {
	OPTION_TEXT,
	OPTION_NUMBER, /* 1 or more */
	OPTION_TEXTS,  /* none of them blank */
	OPTION_CONTEXTS,
	OPTION_CHECKS,
	OPTION_EXTENSIONS,
};

/* One option: of which builtin, and its value when it is not given. */
static const struct option {
	const char *builtin;
	const char *name;
	enum option_kind kind;
	bool is_required;  /* enabled: at least one member */
	const char *usual; /* JSON */
} options[] = {
	{ "claude_code_always_inject_on_prompt", "context", OPTION_CONTEXTS,
	  true, "[]" },
	{ "git_pre_check", "checks", OPTION_CHECKS, true, "[]" },
	{ "post_edit_check", "by_extension", OPTION_EXTENSIONS, true, "{}" },
	{ "rulebook_security_guardrails", "message", OPTION_TEXT, false,
	  "\"Cupcake configuration files are protected from modification\"" },
	{ "rulebook_security_guardrails", "protected_paths", OPTION_TEXTS, true,
	  "[\".cupcake/\", \".belay/\", \".cache/belay/\"]" },
	{ "protected_paths", "message", OPTION_TEXT, false,
	  "\"This path is read-only and cannot be modified\"" },
	{ "protected_paths", "paths", OPTION_TEXTS, true, "[]" },
	{ "git_block_no_verify", "message", OPTION_TEXT, false, "\"\"" },
	{ "git_block_no_verify", "exceptions", OPTION_TEXTS, false, "[]" },
	{ "claude_code_enforce_full_file_read", "max_lines", OPTION_NUMBER,
	  false, "2000" },
	{ "claude_code_enforce_full_file_read", "message", OPTION_TEXT, false,
	  "\"Please read the entire file first (files under 2000 lines must "
	  "be read completely)\"" },
	{ "system_protection", "message", OPTION_TEXT, false, "\"\"" },
	{ "system_protection", "additional_paths", OPTION_TEXTS, false, "[]" },
	{ "sensitive_data_protection", "message", OPTION_TEXT, false, "\"\"" },
	{ "sensitive_data_protection", "additional_patterns", OPTION_TEXTS,
	  false, "[]" },
	{ "cupcake_exec_protection", "message", OPTION_TEXT, false, "\"\"" },
	{ "cupcake_exec_protection", "allowed_commands", OPTION_TEXTS, false,
	  "[]" },
};

/* One option at hand. */
struct reading {
	struct rulebook_reader *r;
	const struct option *option;
	struct bl_value key; /* the section's */
	struct bl_value value;
	struct bl_object_builder *config;
	enum bl_status status;
};

static void complain(struct reading *at, const char *problem)
{
	struct bl_str name = bl_value_text(at->key);

	rulebook_error(at->r, "rulebook/builtin", at->key,
		       "builtins.%.*s.%s %s", BL_STR_ARG(name),
		       at->option->name, problem);
}

static void add_config(struct reading *at, const char *name,
		       struct bl_value value)
{
	bl_object_builder_add(at->config, bl_str(name), value);
}

/* Makes a signal called PREFIX and rest; its name, for the config. */
static struct bl_value add_signal(struct reading *at, struct bl_signal signal,
				  struct bl_str rest)
{
	const struct bl_policy_builtin *row =
		&bl_policy_builtins[bl_policy_builtin_find(
			bl_str(at->option->builtin))];

	signal.name = bl_arena_printf(at->r->arena, "%s%.*s",
				      row->signal_prefix, BL_STR_ARG(rest));
	signal.origin = at->r->book->path;
	if (!signal.name.ptr)
		at->status = bl_arena_fail(at->r->arena, at->r->err);
	else
		at->status = rulebook_add_signal(at->r, &signal);
	return bl_value_string(signal.name);
}

static struct bl_str number_text(struct reading *at, size_t i)
{
	return bl_arena_printf(at->r->arena, "%zu", i);
}

static bool is_blank(struct bl_value text)
{
	return !bl_str_trim(bl_value_text(text)).len;
}

/* ---- kinds ---------------------------------------------------------------- */

static void read_text(struct reading *at)
{
	if (bl_value_is(at->value, BL_KIND_STRING))
		add_config(at, at->option->name, at->value);
	else
		complain(at, "must be a text");
}

static void read_number(struct reading *at)
{
	int64_t number;

	if (bl_number_to_integer(at->value, &number) && number > 0)
		add_config(at, at->option->name, at->value);
	else
		complain(at, "must be a whole number above 0");
}

static void read_texts(struct reading *at)
{
	for (size_t i = 0; i < bl_value_count(at->value); i++)
		if (is_blank(bl_value_item(at->value, i)))
			complain(at, "has a blank entry");
	add_config(at, at->option->name, at->value);
}

/* One context that is a command or a file. */
static void read_dynamic_context(struct reading *at, size_t i,
				 struct bl_value item,
				 struct bl_array_builder *names)
{
	struct bl_value file = bl_object_find(item, BL_STR("file"));
	struct bl_value command = bl_object_find(item, BL_STR("command"));
	bool is_file = bl_value_is_defined(file);
	struct bl_signal signal = {
		.kind = is_file ? BL_SIGNAL_FILE : BL_SIGNAL_SHELL,
		.command = bl_value_text(is_file ? file : command),
		.timeout_ms = is_file ? 2000 : POLICY_SIGNAL_TIMEOUT_MS,
	};

	if (is_blank(is_file ? file : command))
		complain(at, "has an entry with neither a text nor file nor "
			     "command");
	else
		bl_array_builder_add(
			names, add_signal(at, signal, number_text(at, i)));
}

static void read_contexts(struct reading *at)
{
	struct bl_array_builder texts;
	struct bl_array_builder names;

	bl_array_builder_init(&texts, at->r->arena);
	bl_array_builder_init(&names, at->r->arena);
	for (size_t i = 0; !at->status && i < bl_value_count(at->value); i++) {
		struct bl_value item = bl_value_item(at->value, i);

		if (bl_value_is(item, BL_KIND_STRING))
			bl_array_builder_add(&texts, item);
		else
			read_dynamic_context(at, i, item, &names);
	}
	add_config(at, "static_contexts", bl_array_builder_end(&texts));
	add_config(at, "signals", bl_array_builder_end(&names));
}

/* {command, message}: a signal, and {signal, message} for the config. */
static struct bl_value read_check(struct reading *at, struct bl_value check,
				  struct bl_str rest, uint32_t timeout_ms)
{
	struct bl_value command = bl_object_find(check, BL_STR("command"));
	struct bl_object_builder made;

	if (is_blank(command)) {
		complain(at, "has an entry without a command");
		return bl_value_undefined();
	}
	bl_object_builder_init(&made, at->r->arena);
	bl_object_builder_add(
		&made, BL_STR("signal"),
		add_signal(
			at,
			(struct bl_signal){ .command = bl_value_text(command),
					    .timeout_ms = timeout_ms },
			rest));
	bl_object_builder_add(&made, BL_STR("message"),
			      bl_object_find(check, BL_STR("message")));
	return bl_object_builder_end(&made);
}

static void read_checks(struct reading *at)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, at->r->arena);
	for (size_t i = 0; !at->status && i < bl_value_count(at->value); i++)
		bl_array_builder_add(&list,
				     read_check(at, bl_value_item(at->value, i),
						number_text(at, i), 30000));
	add_config(at, at->option->name, bl_array_builder_end(&list));
}

static void read_extensions(struct reading *at)
{
	struct bl_object_builder made;

	bl_object_builder_init(&made, at->r->arena);
	for (size_t i = 0; !at->status && i < bl_value_count(at->value); i++) {
		struct bl_str extension =
			bl_value_text(bl_object_key(at->value, i));

		if (bl_str_find(extension, BL_STR("."), 0) != SIZE_MAX)
			complain(at, "names extensions without a dot");
		else
			bl_object_builder_add(
				&made, extension,
				read_check(at, bl_object_value(at->value, i),
					   extension, 10000));
	}
	add_config(at, at->option->name, bl_object_builder_end(&made));
}

static const struct {
	enum bl_kind kind; /* of the value */
	const char *wanted;
	void (*read)(struct reading *at);
} kinds[] = {
	[OPTION_TEXT] = { BL_KIND_STRING, "must be a text", read_text },
	[OPTION_NUMBER] = { BL_KIND_NUMBER, "must be a number", read_number },
	[OPTION_TEXTS] = { BL_KIND_ARRAY, "must be a list", read_texts },
	[OPTION_CONTEXTS] = { BL_KIND_ARRAY, "must be a list", read_contexts },
	[OPTION_CHECKS] = { BL_KIND_ARRAY, "must be a list", read_checks },
	[OPTION_EXTENSIONS] = { BL_KIND_OBJECT, "must be a mapping",
				read_extensions },
};

/* ---- sections ------------------------------------------------------------- */

static enum bl_status read_option(struct rulebook_reader *r,
				  const struct option *option,
				  struct bl_value key, struct bl_value section,
				  struct bl_object_builder *config)
{
	struct reading at = {
		.r = r, .option = option, .key = key, .config = config
	};
	enum bl_status status;

	at.value = bl_object_find(section, bl_str(option->name));
	if (!bl_value_is_defined(at.value)) {
		status = bl_json_read(r->arena, bl_str(option->usual), NULL,
				      &at.value, NULL, NULL, r->err);
		if (status)
			return status;
	}
	if (!bl_value_is(at.value, kinds[option->kind].kind)) {
		complain(&at, kinds[option->kind].wanted);
		return BL_OK;
	}
	if (option->is_required && !bl_value_count(at.value))
		complain(&at, "must have an entry");
	kinds[option->kind].read(&at);
	return at.status;
}

/* Present is on, unless it says otherwise. */
static bool is_enabled(struct rulebook_reader *r, struct bl_value key,
		       struct bl_value section)
{
	struct bl_value enabled = bl_object_find(section, BL_STR("enabled"));
	struct bl_str name = bl_value_text(key);

	if (bl_value_is_defined(enabled) &&
	    !bl_value_is(enabled, BL_KIND_BOOLEAN))
		rulebook_error(r, "rulebook/builtin", key,
			       "builtins.%.*s.enabled must be true or false",
			       BL_STR_ARG(name));
	return !bl_value_is_defined(enabled) || bl_value_is_true(enabled);
}

static void check_option_names(struct rulebook_reader *r, const char *builtin,
			       struct bl_value section)
{
	for (size_t i = 0; i < bl_value_count(section); i++) {
		struct bl_value key = bl_object_key(section, i);
		struct bl_str name = bl_value_text(key);
		bool known = bl_str_is(name, "enabled");

		for (size_t j = 0; j < BL_COUNT(options) && !known; j++)
			known = !strcmp(options[j].builtin, builtin) &&
				bl_str_is(name, options[j].name);
		if (!known)
			rulebook_warn(r, "rulebook/unknown-key", key,
				      "builtins.%s.%.*s is not known, and has "
				      "no effect",
				      builtin, BL_STR_ARG(name));
	}
}

static enum bl_status read_section(struct rulebook_reader *r, size_t row,
				   struct bl_value key, struct bl_value section,
				   struct bl_object_builder *configs)
{
	const char *name = bl_policy_builtins[row].name;
	struct bl_object_builder config;
	enum bl_status status = BL_OK;

	if (bl_value_is(section, BL_KIND_NULL))
		section = bl_object_make(r->arena, NULL, 0, NULL);
	if (!bl_value_is(section, BL_KIND_OBJECT)) {
		rulebook_error(r, "rulebook/type", key,
			       "builtins.%s must be a mapping", name);
		return BL_OK;
	}
	check_option_names(r, name, section);
	if (!is_enabled(r, key, section))
		return BL_OK;
	bl_object_builder_init(&config, r->arena);
	for (size_t i = 0; !status && i < BL_COUNT(options); i++)
		if (!strcmp(options[i].builtin, name))
			status = read_option(r, &options[i], key, section,
					     &config);
	r->book->builtins |= UINT32_C(1) << row;
	bl_object_builder_add(configs, bl_str(name),
			      bl_object_builder_end(&config));
	return status;
}

enum bl_status rulebook_read_builtins(struct rulebook_reader *r,
				      struct bl_value section)
{
	struct bl_object_builder configs;
	enum bl_status status = BL_OK;

	bl_object_builder_init(&configs, r->arena);
	for (size_t i = 0; !status && i < bl_value_count(section); i++) {
		struct bl_value key = bl_object_key(section, i);
		struct bl_str name = bl_value_text(key);
		size_t row = bl_policy_builtin_find(name);

		if (row == SIZE_MAX)
			rulebook_warn(r, "rulebook/unknown-builtin", key,
				      "there is no builtin %.*s",
				      BL_STR_ARG(name));
		else
			status = read_section(r, row, key,
					      bl_object_value(section, i),
					      &configs);
	}
	r->book->builtin_config = bl_object_builder_end(&configs);
	return status;
}
