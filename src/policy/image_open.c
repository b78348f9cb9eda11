/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an image to what decides one event.  An image is believed as far as its
 * owner is, and no further than its tables hold: every position is checked
 * before it is used.
 */
#include "base/checksum.h"
#include "crypto/crypto.h"
#include "policy/image.h"

struct opener {
	const struct bl_policy_load_options *options;
	const struct bl_policy_event *event;
	struct bl_arena *arena;
	struct bl_error *err;
	struct bl_policy_dir *dir;
	struct bl_str image;
	const struct policy_image_header *header;
	/* names of the policy at hand, until it is known to take part */
	struct bl_str *names;
	size_t name_cap;
	size_t policy_cap;
};

struct bl_str policy_image_name(struct bl_arena *arena,
				enum bl_policy_origin origin,
				struct bl_str harness, struct bl_str dir)
{
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_str key =
		bl_arena_printf(arena, "%d:%.*s:%.*s", (int)origin,
				BL_STR_ARG(harness), BL_STR_ARG(dir));

	if (!key.ptr)
		return key;
	bl_sha256_hex(key, digest);
	return bl_arena_printf(arena, "%.32s.image", digest);
}

uint64_t policy_image_checksum(const struct policy_image_header *header)
{
	size_t from = offsetof(struct policy_image_header, version);

	return bl_checksum((const char *)header + from,
			   (size_t)header->code_at - from);
}

static enum bl_status damaged(struct opener *o, const char *what)
{
	return bl_fail(o->err, BL_NOT_FOUND, "the image of %.*s is damaged: %s",
		       BL_STR_ARG(o->dir->path), what);
}

static enum bl_status stale(struct opener *o, struct bl_str what)
{
	return bl_fail(o->err, BL_NOT_FOUND,
		       "the image of %.*s is stale: %.*s has changed",
		       BL_STR_ARG(o->dir->path), BL_STR_ARG(what));
}

/* ---- the file ----------------------------------------------------------------- */

/* Only what this user alone can have written counts. */
static bool is_own(const struct bl_file_info *info)
{
	return info->uid == bl_os_user_id() && !(info->mode & 022);
}

static enum bl_status map(struct opener *o, int dir_fd, struct bl_str name,
			  int *fd)
{
	struct bl_file_info folder;
	struct bl_file_info info;
	enum bl_status status = bl_os_info(dir_fd, &folder, o->err);

	if (!status)
		status = bl_os_open_at(dir_fd, name, BL_OPEN_NO_LINK, fd,
				       o->err);
	if (!status)
		status = bl_os_info(*fd, &info, o->err);
	if (status)
		return BL_NOT_FOUND;
	if (!is_own(&folder) || !is_own(&info) || info.type != BL_FILE_REGULAR)
		return damaged(o, "somebody else can have written it");
	if (info.size_bytes < sizeof(*o->header) ||
	    info.size_bytes > POLICY_IMAGE_MAX_BYTES)
		return damaged(o, "its size");
	return bl_os_map(*fd, (size_t)info.size_bytes, &o->image, o->err);
}

static enum bl_status map_image(struct opener *o)
{
	struct bl_str name = policy_image_name(
		o->arena, o->dir->origin, o->options->harness, o->dir->path);
	int dir_fd = -1;
	int fd = -1;
	enum bl_status status;

	if (!name.ptr)
		return bl_arena_fail(o->arena, o->err);
	status = bl_os_open(o->options->cache->dir, BL_OPEN_DIRECTORY, &dir_fd,
			    o->err);
	if (!status)
		status = map(o, dir_fd, name, &fd);
	bl_os_close(fd);
	bl_os_close(dir_fd);
	o->dir->image = o->image;
	o->header = (const void *)o->image.ptr;
	return status;
}

/* ---- pieces ------------------------------------------------------------------- */

static bool take_text(const struct opener *o, struct policy_image_text text,
		      struct bl_str *out)
{
	if (text.at > o->header->code_at ||
	    text.len > o->header->code_at - text.at)
		return false;
	*out = (struct bl_str){ o->image.ptr + text.at, text.len };
	return true;
}

/* The records of a list; NULL when they are not inside. */
static const void *take_records(const struct opener *o,
				struct policy_image_list list, size_t size)
{
	if (list.at % 8 || list.at > o->header->code_at ||
	    (uint64_t)list.count * size > o->header->code_at - list.at)
		return NULL;
	return o->image.ptr + list.at;
}

static bool is_text(const struct opener *o, struct policy_image_text text,
		    struct bl_str wanted)
{
	struct bl_str found;

	return take_text(o, text, &found) && bl_str_equal(found, wanted);
}

/* ---- header and stamps ---------------------------------------------------------- */

static enum bl_status check_header(struct opener *o)
{
	const struct policy_image_header *h = o->header;

	if (!h || memcmp(h->magic, POLICY_IMAGE_MAGIC, sizeof(h->magic)) != 0 ||
	    h->version != POLICY_IMAGE_VERSION ||
	    h->order != POLICY_IMAGE_ORDER ||
	    h->record != policy_image_record())
		return stale(o, BL_STR("belay"));
	if (h->bytes != o->image.len || h->code_at > o->image.len ||
	    h->code_at < sizeof(*h) || h->code_at % POLICY_IMAGE_ALIGN)
		return damaged(o, "its size");
	if (h->checksum != policy_image_checksum(h))
		return damaged(o, "its checksum");
	if (!is_text(o, h->program, BL_STR(BELAY_VERSION)))
		return stale(o, BL_STR("belay"));
	if (!is_text(o, h->home, o->options->cache->home))
		return stale(o, BL_STR("the home folder"));
	if (h->origin != (uint32_t)o->dir->origin ||
	    !is_text(o, h->harness, o->options->harness) ||
	    !is_text(o, h->dir, o->dir->path))
		return damaged(o, "it is of another directory");
	return BL_OK;
}

static enum bl_status check_stamps(struct opener *o)
{
	const struct policy_image_stamp *records =
		take_records(o, o->header->stamps, sizeof(*records));

	if (!records)
		return damaged(o, "its stamps");
	for (uint32_t i = 0; i < o->header->stamps.count; i++) {
		const struct policy_image_stamp *from = &records[i];
		struct policy_stamp stamp = {
			.is_there = from->is_there != 0,
			.info = { .device = from->device,
				  .inode = from->inode,
				  .size_bytes = from->size_bytes,
				  .mtime_ns = from->mtime_ns,
				  .ctime_ns = from->ctime_ns },
		};

		if (!take_text(o, from->path, &stamp.path))
			return damaged(o, "a stamp");
		if (!policy_stamp_holds(&stamp))
			return stale(o, stamp.path);
	}
	return BL_OK;
}

/* ---- policies -------------------------------------------------------------------- */

/* The texts of a list, behind the first `used` of o->names. */
static enum bl_status take_names(struct opener *o,
				 struct policy_image_list list, size_t used)
{
	const struct policy_image_text *records =
		take_records(o, list, sizeof(*records));

	if (!records || list.count > POLICY_MAX_NAMES)
		return damaged(o, "a list of names");
	while (o->name_cap < used + list.count) {
		struct bl_str *more =
			bl_arena_room(o->arena, o->names, o->name_cap,
				      &o->name_cap, sizeof(*more));

		if (!more)
			return bl_arena_fail(o->arena, o->err);
		o->names = more;
	}
	for (uint32_t i = 0; i < list.count; i++)
		if (!take_text(o, records[i], &o->names[used + i]))
			return damaged(o, "a name");
	return BL_OK;
}

static enum bl_status keep_names(struct opener *o,
				 struct policy_image_list list,
				 struct bl_names *out_names)
{
	enum bl_status status = take_names(o, list, 0);
	struct bl_str *items;

	if (status || !list.count)
		return status;
	items = bl_arena_new_array(o->arena, struct bl_str, list.count);
	if (!items)
		return bl_arena_fail(o->arena, o->err);
	memcpy(items, o->names, list.count * sizeof(*items));
	*out_names = (struct bl_names){ items, list.count };
	return BL_OK;
}

static enum bl_status keep_documents(struct opener *o,
				     const struct policy_image_policy *from,
				     struct bl_policy *policy)
{
	const struct policy_image_document *records =
		take_records(o, from->documents, sizeof(*records));
	struct bl_policy_document *items;

	if (!records)
		return damaged(o, "its documents");
	items = bl_arena_new_array(o->arena, struct bl_policy_document,
				   from->documents.count + 1);
	if (!items)
		return bl_arena_fail(o->arena, o->err);
	for (uint32_t i = 0; i < from->documents.count; i++) {
		if (records[i].verb >= BL_VERB_COUNT ||
		    !take_text(o, records[i].path, &items[i].path) ||
		    !take_text(o, records[i].file, &items[i].file) ||
		    records[i].document == BL_REGO_NO_DOCUMENT ||
		    records[i].document !=
			    bl_rego_find(o->dir->rego, items[i].path))
			return damaged(o, "a document");
		items[i].verb = (enum bl_verb)records[i].verb;
		items[i].document = records[i].document;
		items[i].line = records[i].line;
	}
	policy->documents = items;
	policy->document_count = from->documents.count;
	return BL_OK;
}

static enum bl_status keep_policy(struct opener *o,
				  const struct policy_image_policy *from)
{
	struct bl_policy_dir *dir = o->dir;
	struct bl_policy *policies =
		bl_arena_room(o->arena, dir->policies, dir->policy_count,
			      &o->policy_cap, sizeof(*policies));
	struct bl_policy *policy;
	enum bl_status status;

	if (!policies)
		return bl_arena_fail(o->arena, o->err);
	dir->policies = policies;
	policy = &policies[dir->policy_count++];
	policy->metadata = bl_value_undefined();
	if (!take_text(o, from->package, &policy->package) ||
	    !take_text(o, from->file, &policy->file) ||
	    !take_text(o, from->id, &policy->id) ||
	    !take_text(o, from->severity, &policy->severity) ||
	    !take_text(o, from->title, &policy->title) ||
	    from->builtin > bl_policy_builtin_count)
		return damaged(o, "a policy");
	if (from->builtin)
		policy->builtin = &bl_policy_builtins[from->builtin - 1];
	status = keep_names(o, from->events, &policy->events);
	if (!status)
		status = keep_names(o, from->tools, &policy->tools);
	if (!status)
		status = keep_names(o, from->signals, &policy->signals);
	if (!status)
		status = keep_names(o, from->demanded, &policy->demanded);
	return status ? status : keep_documents(o, from, policy);
}

/* May it take part in the event? */
static enum bl_status is_wanted(struct opener *o,
				const struct policy_image_policy *from,
				bool *out_wanted)
{
	struct bl_policy policy = { 0 };
	enum bl_route route;
	enum bl_status status = take_names(o, from->events, 0);

	if (!status)
		status = take_names(o, from->tools, from->events.count);
	if (status)
		return status;
	policy.events = (struct bl_names){ o->names, from->events.count };
	policy.tools = (struct bl_names){ o->names + from->events.count,
					  from->tools.count };
	route = policy_route_of(&policy, o->event);
	*out_wanted = bl_route_runs(route) || route == BL_ROUTE_ALONE;
	return BL_OK;
}

static enum bl_status open_policies(struct opener *o)
{
	const struct policy_image_policy *records =
		take_records(o, o->header->policies, sizeof(*records));
	enum bl_status status = BL_OK;

	if (!records)
		return damaged(o, "its policies");
	for (uint32_t i = 0; !status && i < o->header->policies.count; i++) {
		bool wanted = false;

		status = is_wanted(o, &records[i], &wanted);
		if (!status && wanted)
			status = keep_policy(o, &records[i]);
	}
	return status;
}

/* ---- all of it --------------------------------------------------------------------- */

static enum bl_status open_code(struct opener *o)
{
	struct bl_value book;
	struct bl_str code =
		bl_str_slice(o->image, (size_t)o->header->code_at, SIZE_MAX);
	enum bl_status status = bl_rego_image_open(
		code, o->arena, &o->dir->rego, &book, o->err);

	if (status == BL_INVALID)
		return BL_NOT_FOUND;
	if (status)
		return status;
	o->dir->wants_named_paths = o->header->wants_named_paths != 0;
	if (policy_rulebook_from(book, o->arena, &o->dir->rulebook))
		return BL_OK;
	return bl_arena_status(o->arena) ? bl_arena_fail(o->arena, o->err)
					 : damaged(o, "its rulebook");
}

static enum bl_status open_dir(struct opener *o)
{
	enum bl_status status = map_image(o);

	if (!status)
		status = check_header(o);
	if (!status)
		status = check_stamps(o);
	if (!status)
		status = open_code(o);
	if (!status)
		status = open_policies(o);
	return status;
}

/* What is not there needs no image. */
static enum bl_status add_missing(struct opener *o, struct bl_str text)
{
	struct bl_policy_problem *problem =
		bl_arena_new(o->arena, struct bl_policy_problem);

	if (!problem)
		return bl_arena_fail(o->arena, o->err);
	*problem = (struct bl_policy_problem){ BL_FAILURE_NO_DIRECTORY, text };
	o->dir->problems = problem;
	o->dir->problem_count = 1;
	return BL_OK;
}

enum bl_status bl_policy_open(const struct bl_policy_load_options *options,
			      const struct bl_policy_event *event,
			      struct bl_arena *arena,
			      const struct bl_policy_set **out_set,
			      struct bl_error *err)
{
	struct bl_policy_set *set = bl_arena_new(arena, struct bl_policy_set);
	enum bl_status status = BL_OK;

	if (!set)
		return bl_arena_fail(arena, err);
	if (!options->cache)
		return bl_fail(err, BL_NOT_FOUND, "there is no cache");
	for (int i = 0; !status && i < BL_POLICY_ORIGINS; i++) {
		struct opener o = { .options = options,
				    .event = event,
				    .arena = arena,
				    .err = err,
				    .dir = &set->dirs[i] };
		struct policy_place place =
			policy_place_of(options, (enum bl_policy_origin)i);

		o.dir->origin = (enum bl_policy_origin)i;
		o.dir->path = place.path;
		if (place.path.len)
			status = open_dir(&o);
		else if (place.missing.len)
			status = add_missing(&o, place.missing);
	}
	if (status)
		bl_policy_close(set);
	else
		*out_set = set;
	return status;
}

void bl_policy_close(const struct bl_policy_set *set)
{
	for (int i = 0; i < BL_POLICY_ORIGINS; i++)
		bl_os_unmap(set->dirs[i].image);
}
