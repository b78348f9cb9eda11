/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c: HOME/.config/belay/trust.json.
 *
 *   {"version": 1, "workspaces": [{"path": "/w", "mode": "pinned",
 *    "added": 1795836000000, "pins": [{"path": "/w/.cursor/hooks.json",
 *    "sha256": "..."}, {"path": "/w/gone.sh", "sha256": null}]}]}
 *
 * It is read strictly: what belay did not write, it does not believe.
 */
#include "base/hex.h"
#include "base/utf8.h"
#include "json/json.h"
#include "trust/trust.h"

enum {
	STORE_VERSION = 1,
	STORE_MAX_BYTES = 64 << 20,
	STORE_FILE_MODE = 0600,
	STORE_DIR_MODE = 0700,
	LOCK_TIMEOUT_MS = 10000,
};

#define STORE_DIR  ".config/belay"
#define STORE_FILE "trust.json"

/* ---- reading ------------------------------------------------------ */

static bool get_path(struct bl_value object, struct bl_str *out_path)
{
	*out_path = bl_value_text(bl_object_find(object, BL_STR("path")));
	return bl_path_is_absolute(*out_path) &&
	       !memchr(out_path->ptr, '\0', out_path->len);
}

static bool read_pin(struct bl_value value, struct bl_trust_pin *out_pin)
{
	struct bl_value digest = bl_object_find(value, BL_STR("sha256"));
	struct bl_str text = bl_value_text(digest);

	memset(out_pin, 0, sizeof(*out_pin));
	if (!get_path(value, &out_pin->path))
		return false;
	if (bl_value_is(digest, BL_KIND_NULL))
		return true;
	if (!text.ptr || !bl_hex_is(text, BL_SHA256_BYTES))
		return false;
	memcpy(out_pin->sha256, text.ptr, text.len);
	return true;
}

static enum bl_status read_pins(struct bl_arena *arena, struct bl_value value,
				struct bl_trust_record *record,
				struct bl_error *err)
{
	size_t count = bl_value_count(value);
	struct bl_trust_pin *pins;

	if (!bl_value_is(value, BL_KIND_ARRAY) || count > BL_TRUST_MAX_PINS)
		return bl_fail(err, BL_INVALID,
			       "pins must be an array of at most %d",
			       BL_TRUST_MAX_PINS);
	pins = bl_arena_new_array(arena, struct bl_trust_pin, count);
	if (!pins)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < count; i++) {
		if (!read_pin(bl_value_item(value, i), &pins[i]))
			return bl_fail(err, BL_INVALID,
				       "pin %zu must have an absolute path and "
				       "a SHA-256 digest or null",
				       i);
	}
	record->pins = pins;
	record->pin_count = count;
	return BL_OK;
}

static enum bl_status read_record(struct bl_arena *arena, struct bl_value value,
				  struct bl_trust_record *record,
				  struct bl_error *err)
{
	struct bl_value mode = bl_object_find(value, BL_STR("mode"));

	if (!get_path(value, &record->workspace))
		return bl_fail(err, BL_INVALID, "path must be absolute");
	if (!bl_trust_mode_parse(bl_value_text(mode), &record->mode))
		return bl_fail(err, BL_INVALID,
			       "mode must be \"pinned\" or \"folder\"");
	if (!bl_number_to_integer(bl_object_find(value, BL_STR("added")),
				  &record->added_ms))
		return bl_fail(err, BL_INVALID,
			       "added must be a whole number of milliseconds");
	return read_pins(arena, bl_object_find(value, BL_STR("pins")), record,
			 err);
}

static enum bl_status read_records(struct bl_arena *arena, struct bl_value root,
				   struct bl_trust_store *store,
				   struct bl_error *err)
{
	struct bl_value list = bl_object_find(root, BL_STR("workspaces"));
	struct bl_value version = bl_object_find(root, BL_STR("version"));
	size_t count = bl_value_count(list);
	int64_t number;

	if (!bl_number_to_integer(version, &number) || number != STORE_VERSION)
		return bl_fail(err, BL_INVALID, "version must be %d",
			       STORE_VERSION);
	if (!bl_value_is(list, BL_KIND_ARRAY) || count > BL_TRUST_MAX_RECORDS)
		return bl_fail(err, BL_INVALID,
			       "workspaces must be an array of at most %d",
			       BL_TRUST_MAX_RECORDS);
	store->records =
		bl_arena_new_array(arena, struct bl_trust_record, count);
	if (!store->records)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < count; i++) {
		enum bl_status status = read_record(
			arena, bl_value_item(list, i), &store->records[i], err);

		if (status != BL_OK) {
			bl_error_context(err, "workspace %zu", i);
			return status;
		}
	}
	store->record_count = count;
	return BL_OK;
}

static enum bl_status read_text(struct bl_arena *arena, struct bl_str text,
				struct bl_trust_store *store,
				struct bl_error *err)
{
	struct bl_value root;
	struct bl_place place = { 0 };
	struct bl_json_report report = { 0 };
	enum bl_status status =
		bl_json_read(arena, text, NULL, &root, &report, &place, err);

	if (status != BL_OK) {
		bl_error_context(err, "line %u, column %u",
				 (unsigned)place.line, (unsigned)place.column);
		return status;
	}
	if (report.repeated_key_count > 0)
		return bl_fail(err, BL_INVALID, "a key occurs twice");
	return read_records(arena, root, store, err);
}

/* The file with its lock may be read only when nobody else can write it. */
static enum bl_status read_safe(struct bl_arena *arena,
				struct bl_trust_store *store,
				struct bl_error *err)
{
	struct bl_file_info info;
	struct bl_str text;
	struct bl_str why;
	enum bl_status status =
		bl_os_read_file(store->path, BL_OPEN_NO_LINK, STORE_MAX_BYTES,
				arena, &text, &info, err);

	if (status != BL_OK)
		return status;
	if (bl_trust_check_owner(store->path, &info, arena, &why) !=
	    BL_OWNER_OK)
		return bl_fail(err, BL_DENIED, "%.*s", BL_STR_ARG(why));
	return read_text(arena, text, store, err);
}

enum bl_status bl_trust_read(struct bl_arena *arena, struct bl_str home,
			     struct bl_trust_store *out_store,
			     struct bl_error *err)
{
	struct bl_trust_store store = { 0 };
	enum bl_status status;

	store.path =
		bl_path_join(arena, home, BL_STR(STORE_DIR "/" STORE_FILE));
	if (!store.path.ptr)
		return bl_arena_fail(arena, err);
	status = read_safe(arena, &store, err);
	if (status != BL_OK && status != BL_NOT_FOUND) {
		bl_error_context(err, "the trust store %.*s",
				 BL_STR_ARG(store.path));
		return status;
	}
	*out_store = store;
	return BL_OK;
}

const struct bl_trust_record *bl_trust_find(const struct bl_trust_store *store,
					    struct bl_str workspace)
{
	for (size_t i = 0; i < store->record_count; i++) {
		if (bl_str_equal(store->records[i].workspace, workspace))
			return &store->records[i];
	}
	return NULL;
}

/* ---- writing ------------------------------------------------------ */

static struct bl_value pin_value(struct bl_arena *arena,
				 const struct bl_trust_pin *pin)
{
	struct bl_object_builder object;
	struct bl_value digest = bl_value_null();

	if (pin->sha256[0] != '\0')
		digest = bl_value_string(bl_str(pin->sha256));
	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("path"),
			      bl_value_string(pin->path));
	bl_object_builder_add(&object, BL_STR("sha256"), digest);
	return bl_object_builder_end(&object);
}

static struct bl_value record_value(struct bl_arena *arena,
				    const struct bl_trust_record *record)
{
	struct bl_object_builder object;
	struct bl_array_builder pins;
	const char *mode = bl_trust_mode_name(record->mode);

	bl_array_builder_init(&pins, arena);
	for (size_t i = 0; i < record->pin_count; i++)
		bl_array_builder_add(&pins, pin_value(arena, &record->pins[i]));
	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("path"),
			      bl_value_string(record->workspace));
	bl_object_builder_add(&object, BL_STR("mode"),
			      bl_value_string(bl_str(mode)));
	bl_object_builder_add(&object, BL_STR("added"),
			      bl_value_integer(record->added_ms));
	bl_object_builder_add(&object, BL_STR("pins"),
			      bl_array_builder_end(&pins));
	return bl_object_builder_end(&object);
}

static enum bl_status write_store(struct bl_arena *arena,
				  const struct bl_trust_store *store,
				  struct bl_error *err)
{
	struct bl_object_builder root;
	struct bl_array_builder list;
	struct bl_value value;
	struct bl_buf text;
	enum bl_status status;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < store->record_count; i++)
		bl_array_builder_add(&list,
				     record_value(arena, &store->records[i]));
	bl_object_builder_init(&root, arena);
	bl_object_builder_add(&root, BL_STR("version"),
			      bl_value_integer(STORE_VERSION));
	bl_object_builder_add(&root, BL_STR("workspaces"),
			      bl_array_builder_end(&list));
	value = bl_object_builder_end(&root);
	if (bl_arena_status(arena) != BL_OK || !bl_value_is_defined(value))
		return bl_arena_fail(arena, err);
	bl_buf_init(&text, STORE_MAX_BYTES);
	bl_json_write(&text, value, BL_JSON_PRETTY);
	bl_buf_put_char(&text, '\n');
	status = bl_buf_status(&text);
	if (status == BL_OK)
		status = bl_os_replace_file(store->path, bl_buf_str(&text),
					    STORE_FILE_MODE, err);
	else
		bl_fail(err, status,
			"the trust store would be larger than %d "
			"bytes",
			STORE_MAX_BYTES);
	bl_buf_clear(&text);
	return status;
}

/* One change of the records, made under the lock. */
struct change {
	struct bl_str workspace;
	const struct bl_trust_record *record; /* NULL: remove */
};

static enum bl_status apply_change(struct bl_arena *arena,
				   struct bl_trust_store *store,
				   const struct change *change,
				   struct bl_error *err)
{
	struct bl_trust_record *records = bl_arena_new_array(
		arena, struct bl_trust_record, store->record_count + 1);
	size_t count = 0;
	bool found = false;

	if (!records)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < store->record_count; i++) {
		if (!bl_str_equal(store->records[i].workspace,
				  change->workspace))
			records[count++] = store->records[i];
		else
			found = true;
	}
	if (change->record)
		records[count++] = *change->record;
	else if (!found)
		return bl_fail(err, BL_NOT_FOUND, "%.*s is not trusted",
			       BL_STR_ARG(change->workspace));
	if (count > BL_TRUST_MAX_RECORDS)
		return bl_fail(err, BL_LIMIT,
			       "more than %d workspaces are trusted",
			       BL_TRUST_MAX_RECORDS);
	store->records = records;
	store->record_count = count;
	return BL_OK;
}

static enum bl_status change_locked(struct bl_arena *arena, struct bl_str home,
				    const struct change *change,
				    struct bl_error *err)
{
	struct bl_trust_store store = { 0 };
	enum bl_status status = bl_trust_read(arena, home, &store, err);

	if (status == BL_OK)
		status = apply_change(arena, &store, change, err);
	if (status == BL_OK)
		status = write_store(arena, &store, err);
	return status;
}

static enum bl_status change_store(struct bl_str home,
				   const struct change *change,
				   struct bl_error *err)
{
	struct bl_arena arena;
	struct bl_str dir;
	struct bl_str lock;
	enum bl_status status;
	int fd = -1;

	bl_arena_init(&arena, NULL, 0, 0);
	dir = bl_path_join(&arena, home, BL_STR(STORE_DIR));
	lock = bl_path_join(&arena, dir, BL_STR(STORE_FILE ".lock"));
	if (!dir.ptr || !lock.ptr)
		status = bl_arena_fail(&arena, err);
	else
		status = bl_os_make_dirs(dir, STORE_DIR_MODE, err);
	if (status == BL_OK)
		status = bl_os_open_locked(lock, STORE_FILE_MODE,
					   LOCK_TIMEOUT_MS, &fd, err);
	if (status == BL_OK)
		status = change_locked(&arena, home, change, err);
	bl_os_close(fd);
	bl_arena_clear(&arena);
	return status;
}

/* Paths are bytes, but JSON is UTF-8. */
static enum bl_status check_path(struct bl_str path, struct bl_error *err)
{
	if (!bl_path_is_absolute(path) || memchr(path.ptr, '\0', path.len))
		return bl_fail(err, BL_INVALID, "%.*s is not an absolute path",
			       BL_STR_ARG(path));
	if (!bl_utf8_is_valid(path))
		return bl_fail(err, BL_UNSUPPORTED,
			       "a path that is not UTF-8 cannot be recorded");
	return BL_OK;
}

enum bl_status bl_trust_add(struct bl_str home,
			    const struct bl_trust_record *record,
			    struct bl_error *err)
{
	struct change change = { record->workspace, record };
	enum bl_status status = check_path(record->workspace, err);

	if (status == BL_OK && record->pin_count > BL_TRUST_MAX_PINS)
		status = bl_fail(err, BL_LIMIT, "more than %d pins",
				 BL_TRUST_MAX_PINS);
	for (size_t i = 0; i < record->pin_count && status == BL_OK; i++)
		status = check_path(record->pins[i].path, err);
	/* First: trust that nobody remembers could go in silence. */
	if (status == BL_OK)
		status = bl_trust_remember(home, record->workspace, err);
	return status == BL_OK ? change_store(home, &change, err) : status;
}

enum bl_status bl_trust_remove(struct bl_str home, struct bl_str workspace,
			       struct bl_error *err)
{
	struct change change = { workspace, NULL };

	return change_store(home, &change, err);
}
