/* SPDX-License-Identifier: Apache-2.0 */
/* rulebook.yml (docs/contracts/cupcake.md "Rulebook"). */
#include <stdarg.h>

#include "sources/policies/private.h"
#include "sources/policies/rulebook_keys.h"
#include "sandbox/sandbox.h"
#include "yaml/yaml.h"

static void add_diag(struct rulebook_reader *r, enum bl_severity severity,
		     const char *code, struct bl_value key, struct bl_str text)
{
	struct bl_place place = { 0 };

	if (r->places && bl_value_is(key, BL_KIND_STRING))
		place = bl_yaml_place(r->places, key);
	place = policy_place(r->source.text, place.line, place.column);
	bl_diags_add(r->diags, severity, code, &r->source, place, NULL, "%.*s",
		     BL_STR_ARG(text));
}

uint32_t rulebook_line(const struct rulebook_reader *r, struct bl_value text)
{
	if (!r->places || !bl_value_is(text, BL_KIND_STRING))
		return 0;
	return bl_yaml_place(r->places, text).line;
}

void rulebook_error(struct rulebook_reader *r, const char *code,
		    struct bl_value key, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_diag(r, BL_SEVERITY_ERROR, code, key,
		 bl_arena_vprintf(r->arena, fmt, args));
	va_end(args);
	r->book->is_broken = true;
}

void rulebook_warn(struct rulebook_reader *r, const char *code,
		   struct bl_value key, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_diag(r, BL_SEVERITY_WARNING, code, key,
		 bl_arena_vprintf(r->arena, fmt, args));
	va_end(args);
}

enum bl_status rulebook_add_signal(struct rulebook_reader *r,
				   const struct bl_signal *signal)
{
	struct bl_rulebook *book = r->book;

	for (size_t i = 0; i < book->signal_count; i++)
		if (bl_str_equal(book->signals[i].name, signal->name))
			return BL_OK;
	if (book->signal_count == POLICY_MAX_SIGNALS)
		return bl_fail(r->err, BL_LIMIT, "more than %d signals",
			       POLICY_MAX_SIGNALS);
	book->signals =
		bl_arena_room(r->arena, book->signals, book->signal_count,
			      &r->signal_cap, sizeof(*signal));
	if (!book->signals)
		return bl_arena_fail(r->arena, r->err);
	book->signals[book->signal_count++] = *signal;
	return BL_OK;
}

/* ---- signals -------------------------------------------------------------- */

/* A command: a text for the shell, or a list of words without one. */
static enum bl_status read_command(struct rulebook_reader *r,
				   struct bl_value key, struct bl_value command,
				   struct bl_signal *signal)
{
	size_t count = bl_value_count(command);
	const char **argv;

	signal->command = bl_str_trim(bl_value_text(command));
	if (bl_value_is(command, BL_KIND_STRING) && signal->command.len)
		return BL_OK;
	if (!bl_value_is(command, BL_KIND_ARRAY) || !count) {
		rulebook_error(
			r, "rulebook/signal", key,
			"signal %.*s: command must be a command line, or "
			"a list of words",
			BL_STR_ARG(signal->name));
		return BL_OK;
	}
	argv = bl_arena_new_array(r->arena, const char *, count + 1);
	if (!argv)
		return bl_arena_fail(r->arena, r->err);
	for (size_t i = 0; i < count; i++) {
		struct bl_value word = bl_value_item(command, i);

		/* The reader's texts have a NUL behind them. */
		if (bl_value_is(word, BL_KIND_STRING))
			argv[i] = bl_value_text(word).ptr;
		else
			rulebook_error(r, "rulebook/signal", key,
				       "signal %.*s: the words of command must "
				       "be texts",
				       BL_STR_ARG(signal->name));
	}
	signal->kind = BL_SIGNAL_ARGV;
	signal->argv = argv;
	return BL_OK;
}

static void read_timeout(struct rulebook_reader *r, struct bl_value key,
			 struct bl_value seconds, struct bl_signal *signal)
{
	double number = bl_number_to_double(seconds);

	if (!bl_value_is_defined(seconds))
		return;
	if (bl_value_is(seconds, BL_KIND_NUMBER) && number > 0 &&
	    number * 1000 <= POLICY_SIGNAL_MAX_TIMEOUT_MS) {
		signal->timeout_ms = (uint32_t)(number * 1000);
		return;
	}
	rulebook_error(r, "rulebook/signal", key,
		       "signal %.*s: timeout_seconds must be a number above 0 "
		       "and at most %d",
		       BL_STR_ARG(signal->name),
		       POLICY_SIGNAL_MAX_TIMEOUT_MS / 1000);
}

/* "readonly", "workspace+network": what a program may reach. */
static void read_sandbox(struct rulebook_reader *r, struct bl_value key,
			 struct bl_value name, struct bl_str *out_sandbox)
{
	struct bl_sandbox_request known;
	struct bl_str program = bl_value_text(key);
	struct bl_buf names;

	if (!bl_value_is_defined(name))
		return;
	*out_sandbox = bl_value_text(name);
	if (bl_value_is(name, BL_KIND_STRING) &&
	    bl_sandbox_parse(*out_sandbox, &known))
		return;
	bl_buf_init(&names, 0);
	bl_sandbox_print_names(&names);
	rulebook_error(r, "rulebook/sandbox", key,
		       "%.*s: sandbox must be one of %s, and each may end in "
		       "+network",
		       BL_STR_ARG(program), names.ptr);
	bl_buf_clear(&names);
}

static void note_unknown(struct rulebook_reader *r, struct bl_value key,
			 const char *where)
{
	struct bl_str name = bl_value_text(key);

	rulebook_warn(r, "rulebook/unknown-key", key,
		      "%s%.*s is not known, and has no effect", where,
		      BL_STR_ARG(name));
}

static void check_keys(struct rulebook_reader *r, struct bl_value object,
		       const char *where, enum rulebook_owner owner)
{
	size_t count;
	const struct rulebook_key *keys = rulebook_keys_of(owner, &count);

	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_value key = bl_object_key(object, i);
		size_t row = 0;

		while (row < count &&
		       !bl_str_is(bl_value_text(key), keys[row].name))
			row++;
		if (row == count)
			note_unknown(r, key, where);
	}
}

static enum bl_status read_signals(struct rulebook_reader *r,
				   struct bl_value key, struct bl_value section)
{
	enum bl_status status = BL_OK;

	(void)key;
	for (size_t i = 0; !status && i < bl_value_count(section); i++) {
		struct bl_value name = bl_object_key(section, i);
		struct bl_value value = bl_object_value(section, i);
		struct bl_signal signal = {
			.name = bl_value_text(name),
			.timeout_ms = POLICY_SIGNAL_TIMEOUT_MS,
			.origin = r->book->path,
		};

		check_keys(r, value, "signals.*.", RULEBOOK_OF_SIGNAL);
		read_sandbox(r, name, bl_object_find(value, BL_STR("sandbox")),
			     &signal.sandbox);
		read_timeout(r, name,
			     bl_object_find(value, BL_STR("timeout_seconds")),
			     &signal);
		status = read_command(r, name,
				      bl_object_find(value, BL_STR("command")),
				      &signal);
		if (!status)
			status = rulebook_add_signal(r, &signal);
	}
	return status;
}

/* The name of a file without what follows its last dot. */
static struct bl_str stem(struct bl_str name)
{
	for (size_t i = name.len; i-- > 1;)
		if (name.ptr[i] == '.')
			return bl_str_slice(name, 0, i);
	return name;
}

static bool is_folder(struct bl_str path)
{
	int fd;

	if (bl_os_open(path, BL_OPEN_DIRECTORY, &fd, NULL))
		return false;
	bl_os_close(fd);
	return true;
}

static enum bl_status discover_signal(struct rulebook_reader *r,
				      struct bl_str folder, struct bl_str name)
{
	struct bl_str path = bl_path_join(r->arena, folder, name);
	const char **argv = bl_arena_new_array(r->arena, const char *, 2);

	if (!path.ptr || !argv)
		return bl_arena_fail(r->arena, r->err);
	if (name.ptr[0] == '.' || is_folder(path))
		return BL_OK;
	argv[0] = path.ptr;
	return rulebook_add_signal(
		r, &(struct bl_signal){
			   .name = stem(name),
			   .kind = BL_SIGNAL_ARGV,
			   .argv = argv,
			   .timeout_ms = POLICY_SIGNAL_TIMEOUT_MS,
			   .origin = path,
		   });
}

/* Every program in signals/ whose name is not taken. */
static enum bl_status discover_signals(struct rulebook_reader *r,
				       struct bl_str dir)
{
	struct bl_str folder = bl_path_join(r->arena, dir, BL_STR("signals"));
	struct bl_str *names;
	size_t count;
	enum bl_status status;

	if (!folder.ptr)
		return bl_arena_fail(r->arena, r->err);
	status = bl_os_list_dir(folder, POLICY_MAX_SIGNALS, r->arena, &names,
				&count, NULL);
	if (status == BL_NO_MEMORY)
		return bl_fail_memory(r->err);
	if (status) {
		if (status != BL_NOT_FOUND)
			rulebook_error(r, "rulebook/signal",
				       bl_value_undefined(),
				       "the folder signals cannot be read");
		return BL_OK;
	}
	for (size_t i = 0; !status && i < count; i++)
		status = discover_signal(r, folder, names[i]);
	return status;
}

/* The defaults of signals. */
static enum bl_status read_sandbox_of_all(struct rulebook_reader *r,
					  struct bl_value key,
					  struct bl_value section)
{
	read_sandbox(r, key, section, &r->sandbox);
	return BL_OK;
}

/* Those of builtins and of signals/, too. */
static void share_sandbox(const struct rulebook_reader *r)
{
	for (size_t i = 0; i < r->book->signal_count; i++) {
		if (!r->book->signals[i].sandbox.len)
			r->book->signals[i].sandbox = r->sandbox;
	}
}

/* ---- the other sections --------------------------------------------------- */

/* True and *out for a boolean; a finding for anything else that is there. */
static void read_switch(struct rulebook_reader *r, struct bl_value key,
			struct bl_value section, const char *name, bool *out)
{
	struct bl_value value = bl_object_find(section, bl_str(name));
	struct bl_str where = bl_value_text(key);

	if (bl_value_is(value, BL_KIND_BOOLEAN))
		*out = bl_value_is_true(value);
	else if (bl_value_is_defined(value))
		rulebook_error(r, "rulebook/type", key,
			       "%.*s.%s must be true or false",
			       BL_STR_ARG(where), name);
}

static enum bl_status read_telemetry(struct rulebook_reader *r,
				     struct bl_value key,
				     struct bl_value section)
{
	struct bl_value format = bl_object_find(section, BL_STR("format"));
	struct bl_value place = bl_object_find(section, BL_STR("destination"));
	struct bl_rulebook *book = r->book;

	check_keys(r, section, "telemetry.", RULEBOOK_OF_TELEMETRY);
	read_switch(r, key, section, "enabled", &book->telemetry_enabled);
	book->telemetry_is_text = bl_str_is(bl_value_text(format), "text");
	if (bl_value_is_defined(format) && !book->telemetry_is_text &&
	    !bl_str_is(bl_value_text(format), "json"))
		rulebook_error(r, "rulebook/type", key,
			       "telemetry.format must be json or text");
	book->telemetry_destination = bl_value_text(place);
	if (bl_value_is_defined(place) && !book->telemetry_destination.len)
		rulebook_error(r, "rulebook/type", key,
			       "telemetry.destination must be a path");
	return BL_OK;
}

static enum bl_status read_watchdog(struct rulebook_reader *r,
				    struct bl_value key,
				    struct bl_value section)
{
	bool enabled = bl_value_is_true(section);

	if (bl_value_is(section, BL_KIND_OBJECT))
		read_switch(r, key, section, "enabled", &enabled);
	else if (!bl_value_is(section, BL_KIND_BOOLEAN))
		rulebook_error(r, "rulebook/type", key,
			       "watchdog must be true, false or a mapping");
	if (enabled)
		rulebook_warn(r, "rulebook/watchdog", key,
			      "belay has no watchdog: input.signals.watchdog "
			      "is undefined");
	return BL_OK;
}

static enum bl_status read_preprocess(struct rulebook_reader *r,
				      struct bl_value key,
				      struct bl_value section)
{
	check_keys(r, section, "preprocess.", RULEBOOK_OF_PREPROCESS);
	read_switch(r, key, section, "scripts", &r->book->inspect_scripts);
	return BL_OK;
}

static enum bl_status read_on_error(struct rulebook_reader *r,
				    struct bl_value key,
				    struct bl_value section)
{
	bool is_one = !bl_value_is(section, BL_KIND_OBJECT);
	size_t count = is_one ? 1 : bl_value_count(section);
	struct bl_on_error *rows =
		bl_arena_new_array(r->arena, struct bl_on_error, count + 1);

	if (!rows)
		return bl_arena_fail(r->arena, r->err);
	for (size_t i = 0; i < count; i++) {
		struct bl_value event = bl_object_key(section, i);
		struct bl_str text = bl_value_text(
			is_one ? section : bl_object_value(section, i));
		struct bl_str name =
			is_one ? BL_STR("it") : bl_value_text(event);
		enum bl_verdict verdict = BL_VERDICT_DENY;

		if (!bl_verdict_parse(text, &verdict) ||
		    verdict == BL_VERDICT_NONE)
			rulebook_error(r, "rulebook/on-error",
				       is_one ? key : event,
				       "on_error: %.*s must be deny, ask or "
				       "allow",
				       BL_STR_ARG(name));
		rows[i] = (struct bl_on_error){
			.event = is_one ? BL_STR("*") : bl_value_text(event),
			.verdict = verdict,
		};
	}
	r->book->on_error = rows;
	r->book->on_error_count = count;
	return BL_OK;
}

static enum bl_status read_on_unmodifiable(struct rulebook_reader *r,
					   struct bl_value key,
					   struct bl_value section)
{
	enum bl_verdict verdict = BL_VERDICT_DENY;

	if (!bl_verdict_parse(bl_value_text(section), &verdict) ||
	    (verdict != BL_VERDICT_DENY && verdict != BL_VERDICT_ALLOW))
		rulebook_error(r, "rulebook/type", key,
			       "on_unmodifiable must be deny or allow");
	r->book->on_unmodifiable = verdict;
	return BL_OK;
}

static enum bl_status read_level(struct rulebook_reader *r, struct bl_value key,
				 struct bl_value section)
{
	/* A value that cannot be read is never weaker than the intended one. */
	r->book->level = BL_LEVEL_STRICT;
	/* YAML 1.1 has a boolean for the word. */
	if (bl_value_is(section, BL_KIND_BOOLEAN) && !bl_value_is_true(section))
		r->book->level = BL_LEVEL_OFF;
	else if (!bl_level_parse(bl_value_text(section), &r->book->level))
		rulebook_error(
			r, "rulebook/level", key,
			"level must be off, relaxed, standard or strict");
	return BL_OK;
}

static enum bl_status read_modes(struct rulebook_reader *r, struct bl_value key,
				 struct bl_value section)
{
	(void)key;
	for (size_t i = 0; i < bl_value_count(section); i++) {
		struct bl_value rule = bl_object_key(section, i);
		struct bl_str name = bl_value_text(rule);

		if (!policy_is_mode(bl_value_text(bl_object_value(section, i))))
			rulebook_error(r, "rulebook/mode", rule,
				       "modes: %.*s must be \"off\", monitor, "
				       "ask or deny",
				       BL_STR_ARG(name));
	}
	r->book->modes = section;
	return BL_OK;
}

static enum bl_status read_weaken(struct rulebook_reader *r,
				  struct bl_value key, struct bl_value section)
{
	struct bl_str text = bl_value_text(section);

	r->book->weaken =
		bl_str_is(text, "allow") ? BL_WEAKEN_ALLOW : BL_WEAKEN_FORBID;
	if (!bl_str_is(text, "allow") && !bl_str_is(text, "forbid"))
		rulebook_error(r, "rulebook/type", key,
			       "weaken must be forbid or allow");
	return BL_OK;
}

/* For later: what is given by name goes before what builtins make. */
static enum bl_status read_builtins(struct rulebook_reader *r,
				    struct bl_value key,
				    struct bl_value section)
{
	(void)key;
	r->builtins = section;
	return BL_OK;
}

static enum bl_status read_nothing(struct rulebook_reader *r,
				   struct bl_value key, struct bl_value section)
{
	(void)r;
	(void)key;
	(void)section;
	return BL_OK;
}

static const struct {
	const char *key;
	bool is_mapping; /* or null */
	enum bl_status (*read)(struct rulebook_reader *r, struct bl_value key,
			       struct bl_value section);
} sections[] = {
#define SECTION(name, is_mapping, reader, schema, meaning)                     \
	{ name, is_mapping, reader },
#include "sources/policies/rulebook_sections.def"
#undef SECTION
};

static enum bl_status read_section(struct rulebook_reader *r,
				   struct bl_value key, struct bl_value section)
{
	struct bl_str name = bl_value_text(key);

	for (size_t i = 0; i < BL_COUNT(sections); i++) {
		if (!bl_str_is(name, sections[i].key))
			continue;
		if (bl_value_is(section, BL_KIND_NULL))
			return BL_OK;
		if (sections[i].is_mapping &&
		    !bl_value_is(section, BL_KIND_OBJECT)) {
			rulebook_error(r, "rulebook/type", key,
				       "%s must be a mapping", sections[i].key);
			return BL_OK;
		}
		return sections[i].read(r, key, section);
	}
	note_unknown(r, key, "");
	return BL_OK;
}

static enum bl_status read_document(struct rulebook_reader *r)
{
	struct bl_error problem = { 0 };
	struct bl_value document;
	uint32_t line;
	enum bl_status status =
		bl_yaml_read(r->arena, r->source.text, &document, &line,
			     &r->places, &problem);

	if (status == BL_NO_MEMORY)
		return bl_fail_memory(r->err);
	if (!status && !bl_value_is(document, BL_KIND_OBJECT) &&
	    !bl_value_is(document, BL_KIND_NULL))
		status = bl_fail(&problem, BL_INVALID,
				 "a rulebook is a mapping of keys");
	if (status) {
		bl_diags_add(r->diags, BL_SEVERITY_ERROR, "rulebook/syntax",
			     &r->source, policy_place(r->source.text, line, 1),
			     NULL, "%s", problem.message);
		r->book->is_broken = true;
		return BL_OK;
	}
	for (size_t i = 0; !status && i < bl_value_count(document); i++)
		status = read_section(r, bl_object_key(document, i),
				      bl_object_value(document, i));
	return status;
}

/* Rules and exceptions, as one value. */
static enum bl_status keep_own(struct rulebook_reader *r)
{
	struct bl_object_builder own;

	bl_object_builder_init(&own, r->arena);
	bl_object_builder_add(&own, BL_STR("rules"), r->rules);
	bl_object_builder_add(&own, BL_STR("exceptions"), r->exceptions);
	bl_object_builder_add(&own, BL_STR("protect"), r->protect);
	r->book->own = bl_object_builder_end(&own);
	return bl_value_is_defined(r->book->own)
		       ? BL_OK
		       : bl_arena_fail(r->arena, r->err);
}

static void begin_book(struct rulebook_reader *r)
{
	*r->book = (struct bl_rulebook){ 0 };
	r->book->builtin_config = bl_object_make(r->arena, NULL, 0, NULL);
	r->book->modes = r->book->builtin_config;
	r->book->own = r->book->builtin_config;
}

enum bl_status bl_rulebook_parse(struct bl_str path, struct bl_str text,
				 struct bl_arena *arena, struct bl_diags *diags,
				 struct bl_rulebook *out_rulebook,
				 struct bl_error *err)
{
	struct rulebook_reader r = { .arena = arena,
				     .diags = diags,
				     .book = out_rulebook,
				     .source = { path, text },
				     .err = err };
	enum bl_status status;

	begin_book(&r);
	out_rulebook->path = path;
	status = read_document(&r);
	return status ? status : keep_own(&r);
}

enum bl_status bl_rulebook_read(struct bl_str dir, struct bl_arena *arena,
				struct bl_diags *diags,
				struct bl_rulebook *out_rulebook,
				struct bl_error *err)
{
	struct rulebook_reader r = {
		.arena = arena, .diags = diags, .book = out_rulebook, .err = err
	};
	struct bl_error problem = { 0 };
	struct bl_str path = bl_path_join(arena, dir, BL_STR("rulebook.yml"));
	enum bl_status status;

	begin_book(&r);
	if (!path.ptr)
		return bl_arena_fail(arena, err);
	r.source.file = path;
	status = bl_os_read_file(path, 0, POLICY_MAX_FILE_BYTES, arena,
				 &r.source.text, NULL, &problem);
	if (status == BL_NO_MEMORY)
		return bl_fail_memory(err);
	if (!status) {
		out_rulebook->path = path;
		status = read_document(&r);
	} else if (status == BL_NOT_FOUND) {
		status = BL_OK;
	} else {
		rulebook_error(&r, "rulebook/unreadable", bl_value_undefined(),
			       "%s", problem.message);
		status = BL_OK;
	}
	if (!status)
		status = discover_signals(&r, dir);
	if (!status)
		status = rulebook_read_builtins(&r, r.builtins);
	share_sandbox(&r);
	return status ? status : keep_own(&r);
}
