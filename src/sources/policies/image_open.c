/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an image to what decides one event.  An image is believed as far as its
 * owner is, and no further than its tables hold: every position is checked
 * before it is used.
 */
#include "base/checksum.h"
#include "crypto/crypto.h"
#include "sources/policies/image.h"

struct opener {
	const struct bl_policy_load_options *options;
	const struct bl_policy_event *event;
	struct bl_arena *arena;
	struct bl_error *err;
	struct bl_policy_dir *dir;
	struct bl_str image;
	const struct policy_image_header *header;
	struct bl_seal seal;
	uint8_t *known; /* blocks of the seal */
	bool is_sealed; /* the image is root's, beside the policies */
};

struct bl_str policy_image_name(struct bl_arena *arena,
				enum bl_policy_origin origin,
				struct bl_str agent, struct bl_str dir)
{
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_str key = bl_arena_printf(arena, "%d:%.*s:%.*s", (int)origin,
					    BL_STR_ARG(agent), BL_STR_ARG(dir));

	if (!key.ptr)
		return key;
	bl_sha256_hex(key, digest);
	return bl_arena_printf(arena, "%.32s.image", digest);
}

bool policy_image_parts(const struct policy_image_header *header, size_t len,
			struct bl_seal *out_seal)
{
	const struct policy_image_header *h = header;
	size_t sums;

	if (h->code_at > len || h->code_at % POLICY_IMAGE_ALIGN ||
	    h->tables_at > h->code_at || h->tables_at % POLICY_IMAGE_ALIGN ||
	    h->tables_at < sizeof(*h))
		return false;
	sums = bl_seal_count(sizeof(*h), (size_t)h->tables_at);
	if (h->sums_at % 8 || h->sums_at < h->tables_at ||
	    h->sums_at > h->code_at ||
	    sums > (h->code_at - h->sums_at) / sizeof(uint64_t))
		return false;
	*out_seal = (struct bl_seal){
		.base = (const char *)h,
		.from = sizeof(*h),
		.to = (size_t)h->tables_at,
		.sums = (const void *)((const char *)h + h->sums_at),
	};
	return true;
}

uint64_t policy_image_checksum(const struct policy_image_header *header)
{
	size_t from = offsetof(struct policy_image_header, version);

	return bl_checksum((const char *)header + from, sizeof(*header) - from);
}

uint64_t policy_image_tables_checksum(const struct policy_image_header *header)
{
	return bl_checksum((const char *)header + header->tables_at,
			   (size_t)(header->code_at - header->tables_at));
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
	if ((!o->is_sealed && !policy_is_own(&folder)) ||
	    !(o->is_sealed ? policy_is_roots(&info) : policy_is_own(&info)) ||
	    info.type != BL_FILE_REGULAR)
		return damaged(o, "somebody else can have written it");
	if (info.size_bytes < sizeof(*o->header) ||
	    info.size_bytes > POLICY_IMAGE_MAX_BYTES)
		return damaged(o, "its size");
	return bl_os_map(*fd, (size_t)info.size_bytes, &o->image, o->err);
}

/*
 * The folder of seals.  NOT_FOUND as well where others than root can write to it;
 * another failure: nobody knows.
 */
static enum bl_status open_seals(struct opener *o, int *out_fd)
{
	struct bl_str path =
		bl_path_join(o->arena, o->dir->path, BL_STR(POLICY_SEALS));
	struct bl_file_info info;
	enum bl_status status;
	int fd;

	if (!path.ptr)
		return bl_arena_fail(o->arena, o->err);
	status = bl_os_open(path, BL_OPEN_DIRECTORY | BL_OPEN_NO_LINK, &fd,
			    o->err);
	if (status)
		return status;
	status = bl_os_info(fd, &info, o->err);
	if (!status && policy_is_roots(&info))
		*out_fd = fd;
	else
		bl_os_close(fd);
	return status || policy_is_roots(&info) ? status : BL_NOT_FOUND;
}

static enum bl_status map_image(struct opener *o)
{
	struct bl_str name = policy_image_name(o->arena, o->dir->origin,
					       o->options->agent, o->dir->path);
	int dir_fd = -1;
	int fd = -1;
	enum bl_status status;

	if (!name.ptr)
		return bl_arena_fail(o->arena, o->err);
	/* In a directory that is sealed nothing else is believed. */
	status = open_seals(o, &dir_fd);
	o->is_sealed = !status;
	if (status == BL_NOT_FOUND)
		status = bl_os_open(o->options->cache->dir, BL_OPEN_DIRECTORY,
				    &dir_fd, o->err);
	if (!status)
		status = map(o, dir_fd, name, &fd);
	bl_os_close(fd);
	bl_os_close(dir_fd);
	o->dir->image = o->image;
	o->header = (const void *)o->image.ptr;
	return status;
}

/* ---- pieces ------------------------------------------------------------------- */

/* The tables were checked as a whole; what is in front of them is as it is used. */
static bool is_whole(const struct opener *o, uint64_t at, uint64_t bytes)
{
	if (at < o->header->tables_at)
		return bl_seal_holds(&o->seal, o->known, at, bytes);
	return at <= o->header->code_at && bytes <= o->header->code_at - at;
}

static bool take_text(const struct opener *o, struct policy_image_text text,
		      struct bl_str *out)
{
	if (!is_whole(o, text.at, text.len))
		return false;
	*out = (struct bl_str){ o->image.ptr + text.at, text.len };
	return true;
}

/* A text of the tables, whose last byte is a NUL; NULL when it is invalid. */
static const char *take_path(const struct opener *o, uint32_t at)
{
	if (at < o->header->tables_at || at >= o->header->code_at)
		return NULL;
	return o->image.ptr + at;
}

/* The records of a list; NULL when they are not inside, or broken. */
static const void *take_records(const struct opener *o,
				struct policy_image_list list, size_t size)
{
	if (list.at % 8 || !is_whole(o, list.at, (uint64_t)list.count * size))
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
	if (h->checksum != policy_image_checksum(h))
		return damaged(o, "its header");
	if (h->bytes != o->image.len ||
	    !policy_image_parts(h, o->image.len, &o->seal))
		return damaged(o, "its size");
	if (h->tables_at == h->code_at || o->image.ptr[h->code_at - 1] != '\0')
		return damaged(o, "the end of its tables");
	if (h->tables_checksum != policy_image_tables_checksum(h))
		return damaged(o, "its checksum");
	o->known = bl_arena_new_array(
		o->arena, uint8_t,
		bl_seal_count(o->seal.from, o->seal.to) / 8 + 1);
	if (!o->known)
		return bl_arena_fail(o->arena, o->err);
	if (!is_text(o, h->program, BL_STR(BELAY_VERSION)))
		return stale(o, BL_STR("belay"));
	if (h->origin != (uint32_t)o->dir->origin ||
	    !is_text(o, h->agent, o->options->agent) ||
	    !is_text(o, h->dir, o->dir->path))
		return damaged(o, "it is of another directory");
	return BL_OK;
}

static bool holds(const struct policy_image_stamp *stamp, int folder_fd,
		  const char *name)
{
	struct bl_file_info now;

	if (!bl_os_info_in(folder_fd, name, &now))
		return !stamp->is_there;
	return stamp->is_there && now.device == stamp->device &&
	       now.inode == stamp->inode &&
	       now.size_bytes == stamp->size_bytes &&
	       now.mtime_ns == stamp->mtime_ns &&
	       now.ctime_ns == stamp->ctime_ns;
}

static enum bl_status check_folder(struct opener *o, int folder_fd,
				   const struct policy_image_stamp *stamps,
				   uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const char *name = take_path(o, stamps[i].name);

		if (!name)
			return damaged(o, "a stamp");
		if (!holds(&stamps[i], folder_fd, name))
			return stale(o, bl_str(name));
	}
	return BL_OK;
}

/* A folder that cannot be opened is as stale as what was in it. */
static enum bl_status open_folder(struct opener *o, uint32_t path, int *out_fd)
{
	const char *name = path ? take_path(o, path) : NULL;

	*out_fd = -1;
	if (!path)
		return BL_OK;
	if (!name)
		return damaged(o, "a folder");
	if (bl_os_open(bl_str(name), BL_OPEN_DIRECTORY | BL_OPEN_SEARCH, out_fd,
		       NULL))
		return stale(o, bl_str(name));
	return BL_OK;
}

static enum bl_status check_stamps(struct opener *o)
{
	const struct policy_image_stamp *stamps =
		take_records(o, o->header->stamps, sizeof(*stamps));
	const struct policy_image_folder *folders =
		take_records(o, o->header->folders, sizeof(*folders));
	uint32_t left = o->header->stamps.count;
	enum bl_status status = BL_OK;

	if (!stamps || !folders)
		return damaged(o, "its stamps");
	for (uint32_t i = 0; !status && i < o->header->folders.count; i++) {
		uint32_t count = folders[i].count;
		int fd;

		if (count > left)
			return damaged(o, "a folder");
		status = open_folder(o, folders[i].path, &fd);
		if (!status)
			status = check_folder(o, fd, stamps, count);
		bl_os_close(fd);
		stamps += count;
		left -= count;
	}
	if (!status && left)
		return damaged(o, "its folders");
	return status;
}

/* ---- policies -------------------------------------------------------------------- */

static enum bl_status take_names(struct opener *o,
				 struct policy_image_list list,
				 struct bl_names *out_names)
{
	const struct policy_image_text *records =
		take_records(o, list, sizeof(*records));
	struct bl_str *items;

	if (!records || list.count > POLICY_MAX_NAMES)
		return damaged(o, "a list of names");
	*out_names = (struct bl_names){ NULL, 0 };
	if (!list.count)
		return BL_OK;
	items = bl_arena_new_array(o->arena, struct bl_str, list.count);
	if (!items)
		return bl_arena_fail(o->arena, o->err);
	for (uint32_t i = 0; i < list.count; i++)
		if (!take_text(o, records[i], &items[i]))
			return damaged(o, "a name");
	*out_names = (struct bl_names){ items, list.count };
	return BL_OK;
}

static enum bl_status take_documents(struct opener *o,
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
		    records[i].verb == BL_VERB_ALLOW ||
		    !take_text(o, records[i].path, &items[i].path) ||
		    !take_text(o, records[i].file, &items[i].file))
			return damaged(o, "a document");
		items[i].verb = (enum bl_verb)records[i].verb;
		items[i].document = records[i].document;
		items[i].line = records[i].line;
	}
	policy->documents = items;
	policy->document_count = from->documents.count;
	return BL_OK;
}

static enum bl_status take_policy(struct opener *o,
				  const struct policy_image_policy *from,
				  struct bl_policy *policy)
{
	enum bl_status status;

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
	status = take_names(o, from->signals, &policy->signals);
	if (!status)
		status = take_names(o, from->demanded, &policy->demanded);
	return status ? status : take_documents(o, from, policy);
}

/* A route, and whether policies of it may take part in the event. */
struct taken_route {
	struct bl_names events;
	struct bl_names tools;
	bool is_wanted;
};

static enum bl_status take_routes(struct opener *o,
				  struct taken_route **out_routes)
{
	const struct policy_image_route *records =
		take_records(o, o->header->routes, sizeof(*records));
	struct taken_route *routes;
	enum bl_status status = BL_OK;

	if (!records)
		return damaged(o, "its routes");
	routes = bl_arena_new_array(o->arena, struct taken_route,
				    o->header->routes.count + 1);
	if (!routes)
		return bl_arena_fail(o->arena, o->err);
	for (uint32_t i = 0; !status && i < o->header->routes.count; i++) {
		struct bl_policy policy = { 0 };
		enum bl_route route;

		status = take_names(o, records[i].events, &policy.events);
		if (!status)
			status = take_names(o, records[i].tools, &policy.tools);
		route = policy_route_of(&policy, o->event);
		routes[i] =
			(struct taken_route){ policy.events, policy.tools,
					      bl_route_runs(route) ||
						      route == BL_ROUTE_ALONE };
	}
	*out_routes = routes;
	return status;
}

/* The policies of routes that are wanted; the others are not looked at. */
static enum bl_status take_wanted(struct opener *o, const uint32_t *routed,
				  const struct taken_route *routes)
{
	struct policy_image_list list = o->header->policies;
	struct bl_policy_dir *dir = o->dir;
	enum bl_status status = BL_OK;
	uint32_t wanted = 0;

	for (uint32_t i = 0; i < list.count; i++) {
		if (routed[i] >= o->header->routes.count)
			return damaged(o, "a policy's route");
		wanted += routes[routed[i]].is_wanted;
	}
	dir->policies =
		bl_arena_new_array(o->arena, struct bl_policy, wanted + 1);
	if (!dir->policies)
		return bl_arena_fail(o->arena, o->err);
	for (uint32_t i = 0; !status && i < list.count; i++) {
		const struct taken_route *route = &routes[routed[i]];
		const struct policy_image_policy *record;
		uint64_t at = list.at + (uint64_t)i * sizeof(*record);
		struct bl_policy *policy;

		if (!route->is_wanted)
			continue;
		record = at > UINT32_MAX
				 ? NULL
				 : take_records(o,
						(struct policy_image_list){
							(uint32_t)at, 1 },
						sizeof(*record));
		if (!record)
			return damaged(o, "its policies");
		policy = &dir->policies[dir->policy_count++];
		policy->events = route->events;
		policy->tools = route->tools;
		status = take_policy(o, record, policy);
	}
	return status;
}

static enum bl_status open_policies(struct opener *o)
{
	const uint32_t *routed =
		take_records(o, o->header->routed, sizeof(*routed));
	struct taken_route *routes = NULL;
	enum bl_status status;

	if (!routed || o->header->routed.at < o->header->tables_at ||
	    o->header->routed.count != o->header->policies.count)
		return damaged(o, "its policies");
	status = take_routes(o, &routes);
	return status || !routes ? status : take_wanted(o, routed, routes);
}

/* ---- all of it --------------------------------------------------------------------- */

/* The numbers of the documents of all policies; NULL: memory. */
static uint32_t *list_documents(const struct opener *o, size_t *out_count)
{
	const struct bl_policy_dir *dir = o->dir;
	size_t count = 0;
	uint32_t *list;

	for (size_t i = 0; i < dir->policy_count; i++)
		count += dir->policies[i].document_count;
	list = bl_arena_new_array(o->arena, uint32_t, count + 1);
	*out_count = count;
	count = 0;
	for (size_t i = 0; list && i < dir->policy_count; i++)
		for (size_t j = 0; j < dir->policies[i].document_count; j++)
			list[count++] = dir->policies[i].documents[j].document;
	return list;
}

static enum bl_status open_code(struct opener *o)
{
	struct bl_rego_image_part part = {
		.image = bl_str_slice(o->image, (size_t)o->header->code_at,
				      SIZE_MAX),
	};
	struct bl_value book;
	enum bl_status status;

	part.documents = list_documents(o, &part.document_count);
	if (!part.documents)
		return bl_arena_fail(o->arena, o->err);
	status = bl_rego_image_open_part(&part, o->arena, &o->dir->rego, &book,
					 o->err);
	if (status == BL_INVALID)
		return BL_NOT_FOUND;
	if (status)
		return status;
	o->dir->wants_facts = o->header->wants_facts != 0;
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
		status = open_policies(o);
	if (!status)
		status = open_code(o);
	return status;
}

/* An absent directory needs no image. */
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
		struct bl_policy_place place = options->places[i];

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
