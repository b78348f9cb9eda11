/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping a compiled directory for the events to come. */
#include <limits.h>

#include "sources/policies/image.h"

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

/* Text with a NUL behind it, for the system to read. */
static uint32_t put_path(struct writer *w, struct bl_str path)
{
	uint32_t at = put_text(w, path).at;

	bl_buf_put_char(&w->out, '\0');
	return at;
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
					      const struct bl_policy *policy,
					      struct policy_image_text file)
{
	size_t count = policy->document_count;
	struct policy_image_document *records =
		new_records(w, count, sizeof(*records));

	for (size_t i = 0; records && i < count; i++) {
		const struct bl_policy_document *from = &policy->documents[i];

		records[i].path = put_text(w, from->path);
		records[i].file = bl_str_equal(from->file, policy->file)
					  ? file
					  : put_text(w, from->file);
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
	record->signals = put_names(w, from->signals);
	record->demanded = put_names(w, from->demanded);
	record->documents = put_documents(w, from, record->file);
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

static bool are_equal(struct bl_names a, struct bl_names b)
{
	if (a.count != b.count)
		return false;
	for (size_t i = 0; i < a.count; i++)
		if (!bl_str_equal(a.items[i], b.items[i]))
			return false;
	return true;
}

static bool are_routed_alike(const struct bl_policy *a,
			     const struct bl_policy *b)
{
	return are_equal(a->events, b->events) && are_equal(a->tools, b->tools);
}

/* The number of a policy's route among count; count: it is a new one. */
static uint32_t find_route(const struct bl_policy *const *routes,
			   uint32_t count, const struct bl_policy *policy)
{
	uint32_t i = 0;

	while (i < count && !are_routed_alike(routes[i], policy))
		i++;
	return i;
}

static void put_routes(struct writer *w, const struct bl_policy_dir *dir)
{
	size_t policies = dir->policy_count;
	struct policy_image_route *records =
		new_records(w, policies, sizeof(*records));
	uint32_t *routed = new_records(w, policies, sizeof(*routed));
	const struct bl_policy **routes =
		new_records(w, policies, sizeof(const struct bl_policy *));
	uint32_t count = 0;

	if (!records || !routed || !routes)
		return;
	for (size_t i = 0; i < policies; i++) {
		const struct bl_policy *policy = &dir->policies[i];

		routed[i] = find_route(routes, count, policy);
		if (routed[i] < count)
			continue;
		routes[count] = policy;
		records[count].events = put_names(w, policy->events);
		records[count++].tools = put_names(w, policy->tools);
	}
	w->header.routes = put_records(w, records, count, sizeof(*records));
	w->header.routed = put_records(w, routed, policies, sizeof(*routed));
}

/* ---- stamps ------------------------------------------------------------------ */

/* Fewer stamps of a folder than these do not pay for opening it. */
enum { FOLDER_LEAST_STAMPS = 4 };

/* How many stamps from first on are of one folder. */
static size_t count_neighbours(const struct policy_stamps *stamps, size_t first)
{
	struct bl_str folder = bl_path_dir(stamps->items[first].path);
	size_t i = first + 1;

	while (i < stamps->count &&
	       bl_str_equal(bl_path_dir(stamps->items[i].path), folder))
		i++;
	return i - first;
}

static void put_stamp(struct writer *w, const struct policy_stamp *from,
		      bool in_folder, struct policy_image_stamp *record)
{
	record->name =
		put_path(w, in_folder ? bl_path_base(from->path) : from->path);
	record->is_there = from->is_there;
	record->device = from->info.device;
	record->inode = from->info.inode;
	record->size_bytes = from->info.size_bytes;
	record->mtime_ns = from->info.mtime_ns;
	record->ctime_ns = from->info.ctime_ns;
}

static void put_stamps(struct writer *w, const struct policy_stamps *stamps)
{
	struct policy_image_stamp *records =
		new_records(w, stamps->count, sizeof(*records));
	struct policy_image_folder *folders =
		new_records(w, stamps->count, sizeof(*folders));
	size_t count = 0;

	if (!records || !folders)
		return;
	for (size_t i = 0; i < stamps->count; i += folders[count++].count) {
		size_t alike = count_neighbours(stamps, i);
		/* one that then cannot be opened has changed */
		bool in_folder = alike >= FOLDER_LEAST_STAMPS &&
				 stamps->items[i].is_there;

		if (in_folder)
			folders[count].path =
				put_path(w, bl_path_dir(stamps->items[i].path));
		folders[count].count = (uint32_t)alike;
		for (size_t j = i; j < i + alike; j++)
			put_stamp(w, &stamps->items[j], in_folder, &records[j]);
	}
	w->header.folders = put_records(w, folders, count, sizeof(*folders));
	w->header.stamps =
		put_records(w, records, stamps->count, sizeof(*records));
}

/* The sums of what stands between the header and here. */
static void put_seal(struct writer *w)
{
	struct bl_seal seal = { .from = sizeof(w->header) };
	uint64_t *sums;

	align(w, POLICY_IMAGE_ALIGN);
	w->header.tables_at = position(w);
	seal.base = w->out.ptr;
	seal.to = w->out.len;
	sums = new_records(w, bl_seal_count(seal.from, seal.to), sizeof(*sums));
	if (!sums || bl_buf_status(&w->out))
		return;
	bl_seal_make(&seal, sums);
	w->header.sums_at =
		put_records(w, sums, bl_seal_count(seal.from, seal.to),
			    sizeof(*sums))
			.at;
}

/* ---- all of it --------------------------------------------------------------- */

static void put_tables(struct writer *w,
		       const struct policy_image_source *source)
{
	const struct bl_policy_dir *dir = source->dir;
	struct policy_image_header *h = &w->header;

	memcpy(h->magic, POLICY_IMAGE_MAGIC, sizeof(h->magic));
	h->version = POLICY_IMAGE_VERSION;
	h->order = POLICY_IMAGE_ORDER;
	h->record = policy_image_record();
	h->origin = dir->origin;
	h->wants_facts = dir->wants_facts;
	bl_buf_put(&w->out, h, sizeof(*h));
	put_policies(w, dir);
	put_seal(w);
	h->program = put_text(w, BL_STR(BELAY_VERSION));
	h->agent = put_text(w, source->agent);
	h->dir = put_text(w, dir->path);
	put_routes(w, dir);
	put_stamps(w, source->stamps);
	/* Zeros to the end, so that every path is ended. */
	bl_buf_put_char(&w->out, '\0');
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

/* Is it an image of a directory that is no longer there? */
static bool is_orphan(struct bl_str path)
{
	struct policy_image_header h;
	char dir[PATH_MAX];
	struct bl_file_info info;
	size_t got = 0;
	size_t got_dir = 0;
	int fd;

	if (bl_os_open(path, BL_OPEN_NO_LINK, &fd, NULL))
		return false;
	if (bl_os_read_at(fd, 0, &h, sizeof(h), &got, NULL))
		got = 0;
	if (got == sizeof(h) && h.record == policy_image_record() &&
	    h.dir.len < sizeof(dir) &&
	    bl_os_read_at(fd, h.dir.at, dir, h.dir.len, &got_dir, NULL))
		got_dir = 0;
	bl_os_close(fd);
	return got_dir && got_dir == h.dir.len && dir[0] == '/' &&
	       bl_os_info_target((struct bl_str){ dir, got_dir }, &info,
				 NULL) == BL_NOT_FOUND;
}

/*
 * Takes away what killed processes left, images of directories that are gone,
 * and those that have not been made anew for a month: it costs one compilation.
 */
static void sweep(struct bl_str dir, struct bl_arena *arena)
{
	const int64_t now_ns = bl_os_wall_ms() * 1000000;
	static const struct {
		const char *prefix;
		const char *suffix;
		int64_t age_ns;
		bool is_image;
	} kinds[] = {
		{ ".belay-", "", INT64_C(3600) * 1000000000, false },
		{ "", ".image", INT64_C(30) * 86400 * 1000000000, true },
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
			    (info.mtime_ns < now_ns - kinds[j].age_ns ||
			     (kinds[j].is_image && is_orphan(path))))
				bl_os_remove_file(path, NULL);
		}
}

/* Sets what is known last: sizes and sums. */
static enum bl_status finish(struct writer *w, struct bl_error *err)
{
	struct policy_image_header *h = &w->header;

	if (bl_arena_status(w->arena))
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
	h->tables_checksum =
		policy_image_tables_checksum((const void *)w->out.ptr);
	h->checksum = policy_image_checksum(h);
	memcpy(w->out.ptr, h, sizeof(*h));
	return BL_OK;
}

enum bl_status policy_make_image(const struct policy_image_source *source,
				 struct bl_arena *arena, struct bl_buf *out,
				 struct bl_error *err)
{
	struct writer w = { .arena = arena };
	enum bl_status status;

	bl_buf_init(&w.out, 0);
	put_tables(&w, source);
	status = put_code(&w, source->dir, err);
	if (!status)
		status = finish(&w, err);
	if (!status)
		*out = w.out;
	else
		bl_buf_clear(&w.out);
	return status;
}

static enum bl_status write_image(const struct bl_policy_load_options *options,
				  const struct bl_policy_dir *dir,
				  struct bl_str image, struct bl_arena *arena,
				  struct bl_error *err)
{
	struct bl_str path =
		bl_path_join(arena, options->cache->dir,
			     policy_image_name(arena, dir->origin,
					       options->agent, dir->path));
	enum bl_status status;

	if (!path.ptr)
		return bl_arena_fail(arena, err);
	status = bl_os_make_dirs(options->cache->dir, 0700, err);
	if (status)
		return status;
	status = bl_os_replace_cached(path, image, 0600, err);
	if (!status)
		sweep(options->cache->dir, arena);
	return status;
}

enum bl_status policy_store_image(const struct bl_policy_load_options *options,
				  const struct bl_policy_dir *dir,
				  const struct policy_stamps *stamps,
				  struct bl_arena *arena, struct bl_error *err)
{
	const struct policy_image_source source = {
		.dir = dir,
		.stamps = stamps,
		.agent = options->agent,
	};
	struct bl_buf image;
	enum bl_status status;

	if (dir->problem_count || !dir->rego || stamps->has_unsettled)
		return BL_OK;
	status = policy_make_image(&source, arena, &image, err);
	if (status)
		return status;
	status = write_image(options, dir, bl_buf_str(&image), arena, err);
	bl_buf_clear(&image);
	return status;
}
