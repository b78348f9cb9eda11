/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rulebook.c: the rules in force, and the rulebooks that set them: read, checked as
 * they are written, and saved as a whole.  A rulebook that is broken is never
 * saved, since it would refuse everything; nor one over changes of somebody
 * else's.
 */
#include "packs/packs.h"
#include "sources/policies/policies.h"
#include "ui/app.h"

enum { MAX_RULEBOOK_BYTES = 1 << 20 };

static const struct {
	const char *name; /* of /api/rulebook/NAME */
	enum bl_policy_origin origin;
	const char *missing;
} books[] = {
	{ "project", BL_POLICY_PROJECT,
	  "this folder has no policy directory: run 'belay init'" },
	{ "user", BL_POLICY_GLOBAL,
	  "you have no rulebook of your own: run 'belay init --global'" },
};

/* The policy directory; empty: absent. */
static enum bl_status find_dir(struct call *call, enum bl_policy_origin origin,
			       struct bl_str *out_dir)
{
	struct bl_str dir;

	if (origin == BL_POLICY_GLOBAL)
		return bl_policy_find_global(BL_STR(""), call->app->config,
					     call->arena, out_dir, &call->err);
	dir = bl_policy_dir_of(call->app->project, call->arena);
	*out_dir = dir.ptr ? dir : BL_STR("");
	return BL_OK;
}

/* ---- rules ---------------------------------------------------------------- */

static enum bl_status read_books(struct call *call, struct bl_policy_set *set)
{
	struct bl_diags diags;
	enum bl_status status = BL_OK;

	bl_diags_init(&diags, call->arena);
	for (size_t i = 0; !status && i < BL_COUNT(books); i++) {
		struct bl_policy_dir *dir = &set->dirs[books[i].origin];

		status = find_dir(call, books[i].origin, &dir->path);
		if (!status && dir->path.len)
			status =
				bl_rulebook_read(dir->path, call->arena, &diags,
						 &dir->rulebook, &call->err);
	}
	return status;
}

static void put_book(struct call *call, const char *name,
		     const struct bl_policy_dir *dir)
{
	bl_buf_printf(&call->out, "\"%s\":{\"dir\":", name);
	bl_json_write_string(&call->out, dir->path);
	bl_buf_printf(&call->out, ",\"level\":\"%s\",\"broken\":%s,\"own\":",
		      bl_level_name(dir->rulebook.level),
		      dir->rulebook.is_broken ? "true" : "false");
	if (bl_value_is_defined(dir->rulebook.own))
		call_put(call, dir->rulebook.own);
	else
		bl_buf_puts(&call->out, "null");
	bl_buf_puts(&call->out, ",\"modes\":");
	if (bl_value_is_defined(dir->rulebook.modes))
		call_put(call, dir->rulebook.modes);
	else
		bl_buf_puts(&call->out, "{}");
	bl_buf_puts(&call->out, "}");
}

static void put_rule(struct call *call, const struct bl_policy_set *set,
		     struct bl_value rules, size_t i)
{
	struct bl_value id = bl_object_key(rules, i);
	struct bl_value row = bl_object_value(rules, i);

	bl_buf_puts(&call->out, i ? ",\n{\"id\":" : "\n{\"id\":");
	call_put(call, id);
	bl_buf_printf(&call->out, ",\"mode\":\"%s\",\"row\":",
		      bl_policy_rule_mode(set, bl_value_text(id), row));
	call_put(call, row);
	bl_buf_puts(&call->out, "}");
}

/* GET /api/rules */
enum bl_status route_rules(struct call *call)
{
	struct bl_policy_set set = { 0 };
	struct bl_value rules;
	enum bl_status status = read_books(call, &set);

	if (!status)
		status = bl_packs_rules(call->arena, &rules, &call->err);
	if (status)
		return status;
	bl_buf_printf(&call->out, "{\"level\":\"%s\",\"rulebooks\":{",
		      bl_level_name(bl_policy_level(&set)));
	for (size_t i = 0; i < BL_COUNT(books); i++) {
		bl_buf_puts(&call->out, i ? "," : "");
		put_book(call, books[i].name, &set.dirs[books[i].origin]);
	}
	bl_buf_puts(&call->out, "},\"rules\":[");
	for (size_t i = 0; i < bl_value_count(rules); i++)
		put_rule(call, &set, rules, i);
	bl_buf_puts(&call->out, "]}\n");
	return call_send_json(call);
}

/* ---- one rulebook --------------------------------------------------------- */

struct book {
	struct bl_str path;
	struct bl_str text; /* empty when it is not there yet */
	uint32_t mode;
	char digest[BL_SHA256_HEX_BYTES];
};

/* A link is followed: what it leads to is replaced, not the link. */
static enum bl_status open_book(struct call *call, struct book *book)
{
	struct bl_str name = call->request->parts[0];
	struct bl_file_info info = { .mode = 0644 };
	struct bl_str dir = BL_STR("");
	enum bl_status status = BL_OK;
	size_t i = 0;

	while (i < BL_COUNT(books) && !bl_str_is(name, books[i].name))
		i++;
	if (i == BL_COUNT(books))
		return bl_fail(&call->err, BL_NOT_FOUND,
			       "there is no such rulebook");
	status = find_dir(call, books[i].origin, &dir);
	if (!status && !dir.len)
		status = bl_fail(&call->err, BL_NOT_FOUND, "%s",
				 books[i].missing);
	if (status)
		return status;
	book->path = bl_path_join(call->arena, dir, BL_STR("rulebook.yml"));
	if (!book->path.ptr)
		return bl_fail_memory(&call->err);
	(void)bl_path_resolve(call->arena, book->path, &book->path, NULL);
	status = bl_os_read_file(book->path, 0, MAX_RULEBOOK_BYTES, call->arena,
				 &book->text, &info, &call->err);
	if (status == BL_NOT_FOUND) {
		book->text = BL_STR("");
		status = BL_OK;
	}
	book->mode = info.mode & 0777;
	bl_sha256_hex(book->text, book->digest);
	return status;
}

static enum bl_status find_mistakes(struct call *call, struct bl_str path,
				    struct bl_str text, struct bl_diags *diags)
{
	struct bl_rulebook unused;

	bl_diags_init(diags, call->arena);
	return bl_rulebook_parse(path, text, call->arena, diags, &unused,
				 &call->err);
}

static void put_findings(struct call *call, const struct bl_diags *diags)
{
	bl_buf_puts(&call->out, "\"findings\":[");
	for (const struct bl_diag *one = diags->first; one; one = one->next) {
		bl_buf_printf(&call->out,
			      "%s{\"severity\":\"%s\",\"line\":%u,"
			      "\"column\":%u,\"message\":",
			      one == diags->first ? "" : ",",
			      bl_severity_name(one->severity),
			      (unsigned)one->place.line,
			      (unsigned)one->place.column);
		bl_json_write_string(&call->out, one->message);
		bl_buf_puts(&call->out, ",\"hint\":");
		bl_json_write_string(&call->out, one->hint);
		bl_buf_puts(&call->out, "}");
	}
	bl_buf_puts(&call->out, "]");
}

static enum bl_status send_book(struct call *call, const struct book *book)
{
	struct bl_diags diags;
	enum bl_status status =
		find_mistakes(call, book->path, book->text, &diags);

	if (status)
		return status;
	bl_buf_puts(&call->out, "{\"path\":");
	bl_json_write_string(&call->out, book->path);
	bl_buf_printf(&call->out, ",\"digest\":\"%s\",\"text\":", book->digest);
	bl_json_write_string(&call->out, book->text);
	bl_buf_puts(&call->out, ",");
	put_findings(call, &diags);
	bl_buf_puts(&call->out, "}\n");
	return call_send_json(call);
}

/* GET /api/rulebook/NAME */
enum bl_status route_rulebook(struct call *call)
{
	struct book book;
	enum bl_status status = open_book(call, &book);

	return status ? status : send_book(call, &book);
}

/* POST /api/rulebook/NAME {"text"}: what is wrong with a text. */
enum bl_status route_rulebook_check(struct call *call)
{
	struct bl_diags diags;
	struct book book;
	enum bl_status status = open_book(call, &book);

	if (!status)
		status = find_mistakes(call, book.path, call_text(call, "text"),
				       &diags);
	if (status)
		return status;
	bl_buf_puts(&call->out, "{");
	put_findings(call, &diags);
	bl_buf_puts(&call->out, "}\n");
	return call_send_json(call);
}

/* PUT /api/rulebook/NAME {"text", "digest": of what it is to replace} */
enum bl_status route_rulebook_set(struct call *call)
{
	struct bl_str text = call_text(call, "text");
	struct bl_diags diags;
	struct book book;
	enum bl_status status = open_book(call, &book);

	if (!status && !text.ptr)
		status = bl_fail(&call->err, BL_INVALID, "text is missing");
	if (!status && !bl_str_is(call_text(call, "digest"), book.digest))
		status = bl_fail(&call->err, BL_EXISTS,
				 "the rulebook has changed meanwhile: load it "
				 "again");
	if (!status)
		status = find_mistakes(call, book.path, text, &diags);
	if (!status && diags.error_count)
		status = bl_fail(&call->err, BL_INVALID,
				 "nothing was saved: the rulebook has an "
				 "error");
	if (!status)
		status = bl_os_replace_file(book.path, text, book.mode,
					    &call->err);
	if (status)
		return status;
	book.text = text;
	bl_sha256_hex(text, book.digest);
	return send_book(call, &book);
}
