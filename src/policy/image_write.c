/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping a compiled directory for the events to come. */
#include "policy/image.h"

struct writer {
	struct bl_buf out;
	struct bl_arena *arena;
	struct policy_image_header header;
	bool too_long;
};

/* ---- pieces ----------------------------------------------------------------- */

static uint32_t position(struct writer *w)
{
	w->too_long |= w->out.len > POLICY_IMAGE_MAX_BYTES;
	return (uint32_t)w->out.len;
}

static void align(struct writer *w, size_t to)
{
	static const char zeros[POLICY_IMAGE_ALIGN];

	if (w->out.len % to)
		bl_buf_put(&w->out, zeros, to - w->out.len % to);
}

static struct policy_image_text put_text(struct writer *w, struct bl_str text)
{
	struct policy_image_text put = { position(w), (uint32_t)text.len };

	w->too_long |= text.len > POLICY_IMAGE_MAX_BYTES;
	bl_buf_put_str(&w->out, text);
	return put;
}

static struct policy_image_list
put_records(struct writer *w, const void *records, size_t count, size_t size)
{
	struct policy_image_list put;

	align(w, 8);
	put = (struct policy_image_list){ position(w), (uint32_t)count };
	w->too_long |= count > POLICY_IMAGE_MAX_BYTES / size;
	bl_buf_put(&w->out, records, count * size);
	return put;
}

/* Zeroed, so that no byte between members is left to chance. */
static void *new_records(struct writer *w, size_t count, size_t size)
{
	return bl_arena_zalloc(w->arena, count + 1, size);
}

static struct policy_image_list put_names(struct writer *w,
					  struct bl_names names)
{
	struct policy_image_text *records =
		new_records(w, names.count, sizeof(*records));

	for (size_t i = 0; records && i < names.count; i++)
		records[i] = put_text(w, names.items[i]);
	return put_records(w, records, records ? names.count : 0,
			   sizeof(*records));
}

/* ---- tables ----------------------------------------------------------------- */

static struct policy_image_list put_documents(struct writer *w,
					      const struct bl_policy *policy)
{
	size_t count = policy->document_count;
	struct policy_image_document *records =
		new_records(w, count, sizeof(*records));

	for (size_t i = 0; records && i < count; i++) {
		const struct bl_policy_document *from = &policy->documents[i];

		records[i].path = put_text(w, from->path);
		records[i].file = put_text(w, from->file);
		records[i].verb = from->verb;
		records[i].document = from->document;
		records[i].line = from->line;
	}
	return put_records(w, records, records ? count : 0, sizeof(*records));
}

static void put_policy(struct writer *w, const struct bl_policy *from,
		       struct policy_image_policy *record)
{
	record->package = put_text(w, from->package);
	record->file = put_text(w, from->file);
	record->id = put_text(w, from->id);
	record->severity = put_text(w, from->severity);
	record->title = put_text(w, from->title);
	record->events = put_names(w, from->events);
	record->tools = put_names(w, from->tools);
	record->signals = put_names(w, from->signals);
	record->demanded = put_names(w, from->demanded);
	record->documents = put_documents(w, from);
	if (from->builtin)
		record->builtin =
			(uint32_t)(from->builtin - bl_policy_builtins) + 1;
}

static void put_policies(struct writer *w, const struct bl_policy_dir *dir)
{
	struct policy_image_policy *records =
		new_records(w, dir->policy_count, sizeof(*records));

	for (size_t i = 0; records && i < dir->policy_count; i++)
		put_policy(w, &dir->policies[i], &records[i]);
	w->header.policies = put_records(
		w, records, records ? dir->policy_count : 0, sizeof(*records));
}

static void put_stamps(struct writer *w, const struct policy_stamps *stamps)
{
	struct policy_image_stamp *records =
		new_records(w, stamps->count, sizeof(*records));

	for (size_t i = 0; records && i < stamps->count; i++) {
		const struct policy_stamp *from = &stamps->items[i];

		records[i].path = put_text(w, from->path);
		records[i].is_there = from->is_there;
		records[i].device = from->info.device;
		records[i].inode = from->info.inode;
		records[i].size_bytes = from->info.size_bytes;
		records[i].mtime_ns = from->info.mtime_ns;
		records[i].ctime_ns = from->info.ctime_ns;
	}
	w->header.stamps = put_records(w, records, records ? stamps->count : 0,
				       sizeof(*records));
}

/* ---- all of it --------------------------------------------------------------- */

static void put_tables(struct writer *w,
		       const struct bl_policy_load_options *options,
		       const struct bl_policy_dir *dir,
		       const struct policy_stamps *stamps)
{
	struct policy_image_header *h = &w->header;

	memcpy(h->magic, POLICY_IMAGE_MAGIC, sizeof(h->magic));
	h->version = POLICY_IMAGE_VERSION;
	h->order = POLICY_IMAGE_ORDER;
	h->record = policy_image_record();
	h->origin = dir->origin;
	h->wants_named_paths = dir->wants_named_paths;
	bl_buf_put(&w->out, h, sizeof(*h));
	h->program = put_text(w, BL_STR(BELAY_VERSION));
	h->home = put_text(w, options->cache->home);
	h->harness = put_text(w, options->harness);
	h->dir = put_text(w, dir->path);
	put_policies(w, dir);
	put_stamps(w, stamps);
	align(w, POLICY_IMAGE_ALIGN);
	h->code_at = w->out.len;
}

static enum bl_status put_code(struct writer *w,
			       const struct bl_policy_dir *dir,
			       struct bl_error *err)
{
	struct bl_buf code;
	struct bl_value book = policy_rulebook_value(&dir->rulebook, w->arena);
	enum bl_status status;

	if (!bl_value_is_defined(book))
		return bl_arena_fail(w->arena, err);
	bl_buf_init(&code, 0);
	status = bl_rego_image_write(dir->rego, book, &code, err);
	bl_buf_put_str(&w->out, bl_buf_str(&code));
	bl_buf_clear(&code);
	return status;
}

/*
 * Takes away what killed processes left, and images that have not been made
 * anew for a month: their directories are gone, or it costs one compilation.
 */
static void sweep(struct bl_str dir, struct bl_arena *arena)
{
	const int64_t now_ns = bl_os_wall_ms() * 1000000;
	static const struct {
		const char *prefix;
		const char *suffix;
		int64_t age_ns;
	} kinds[] = {
		{ ".belay-", "", INT64_C(3600) * 1000000000 },
		{ "", ".image", INT64_C(30) * 86400 * 1000000000 },
	};
	struct bl_str *names;
	size_t count;

	if (bl_os_list_dir(dir, POLICY_MAX_FILES, arena, &names, &count, NULL))
		return;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < BL_COUNT(kinds); j++) {
			struct bl_str path = bl_path_join(arena, dir, names[i]);
			struct bl_file_info info;

			if (path.ptr &&
			    bl_str_has_prefix(names[i],
					      bl_str(kinds[j].prefix)) &&
			    bl_str_has_suffix(names[i],
					      bl_str(kinds[j].suffix)) &&
			    !bl_os_info_path(path, &info, NULL) &&
			    info.mtime_ns < now_ns - kinds[j].age_ns)
				bl_os_remove_file(path, NULL);
		}
}

static enum bl_status write_image(struct writer *w,
				  const struct bl_policy_load_options *options,
				  const struct bl_policy_dir *dir,
				  struct bl_error *err)
{
	struct policy_image_header *h = &w->header;
	struct bl_str path =
		bl_path_join(w->arena, options->cache->dir,
			     policy_image_name(w->arena, dir->origin,
					       options->harness, dir->path));
	enum bl_status status;

	if (!path.ptr || bl_arena_status(w->arena))
		return bl_arena_fail(w->arena, err);
	if (bl_buf_status(&w->out))
		return bl_fail(err, bl_buf_status(&w->out), "the image");
	(void)position(w);
	if (w->too_long)
		return bl_fail(err, BL_LIMIT,
			       "the image would have more than %d bytes",
			       POLICY_IMAGE_MAX_BYTES);
	h->bytes = w->out.len;
	memcpy(w->out.ptr, h, sizeof(*h));
	h->checksum = policy_image_checksum((const void *)w->out.ptr);
	memcpy(w->out.ptr, h, sizeof(*h));
	memcpy(w->out.ptr, h, sizeof(*h));
	status = bl_os_make_dirs(options->cache->dir, 0700, err);
	if (status)
		return status;
	status = bl_os_replace_cached(path, bl_buf_str(&w->out), 0600, err);
	if (!status)
		sweep(options->cache->dir, w->arena);
	return status;
}

enum bl_status policy_store_image(const struct bl_policy_load_options *options,
				  const struct bl_policy_dir *dir,
				  const struct policy_stamps *stamps,
				  struct bl_arena *arena, struct bl_error *err)
{
	struct writer w = { .arena = arena };
	enum bl_status status;

	if (dir->problem_count || !dir->rego || stamps->has_unsettled)
		return BL_OK;
	bl_buf_init(&w.out, 0);
	put_tables(&w, options, dir, stamps);
	status = put_code(&w, dir, err);
	if (!status)
		status = write_image(&w, options, dir, err);
	bl_buf_clear(&w.out);
	return status;
}
