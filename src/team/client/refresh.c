/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh.c: a sync as people and programs ask for it: with its line in the log,
 * and with what the log has for the server; and its result as JSON.
 */
#include "team/client/private.h"

#include "journal/journal.h"
#include "os/os.h"

/* ---- as JSON ------------------------------------------------------------------------ */

static void add_time(struct bl_arena *arena, struct bl_object_builder *object,
		     const char *name, int64_t time)
{
	char text[BL_OS_TIME_TEXT_BYTES];

	if (!time)
		return;
	bl_os_format_time(time * 1000, text);
	bl_object_builder_add(object, bl_str(name),
			      bl_value_printf(arena, "%s", text));
}

static void add_text(struct bl_object_builder *object, const char *name,
		     struct bl_str text)
{
	if (text.len)
		bl_object_builder_add(object, bl_str(name),
				      bl_value_string(text));
}

struct bl_value bl_team_report_value(const struct bl_team_account *account,
				     const struct bl_team_report *report,
				     struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	add_text(&object, "team", account->team_id);
	add_text(&object, "server", account->server);
	add_text(&object, "machine", account->machine_id);
	add_text(&object, "state", bl_str(bl_team_state_name(report->state)));
	add_text(&object, "text", bl_str(bl_team_state_text(report->state)));
	add_text(&object, "detail", report->detail);
	bl_object_builder_add(&object, BL_STR("version"),
			      bl_value_integer(report->version));
	bl_object_builder_add(&object, BL_STR("root_version"),
			      bl_value_integer(report->root_version));
	add_text(&object, "manifest_sha256", report->manifest_sha256);
	add_time(arena, &object, "since", report->since);
	add_time(arena, &object, "tried", report->tried);
	add_time(arena, &object, "checked", report->checked);
	add_time(arena, &object, "fresh_until", report->fresh_until);
	add_time(arena, &object, "next_try", report->next_try);
	bl_object_builder_add(&object, BL_STR("notice_pending"),
			      bl_value_boolean(report->is_pending));
	add_text(&object, "fingerprint", report->fingerprint);
	return bl_object_builder_end(&object);
}

/* ---- refreshing --------------------------------------------------------------------- */

enum bl_status bl_team_record(const char *event_name, struct bl_str journal_dir,
			      const struct bl_team_report *report,
			      struct bl_arena *arena, struct bl_error *err)
{
	struct bl_journal_options journal = { .dir = journal_dir };
	struct bl_journal_entry entry = {
		.time_ms = bl_os_wall_ms(),
		.event_name = event_name,
		.profile = "belay",
		.decision = "allow",
		.source = BL_STR("team"),
		.payload_text = BL_STR(""),
		.asked = BL_VERDICT_NONE,
		.enforced = BL_VERDICT_NONE,
	};
	char id[BL_JOURNAL_ID_BYTES];
	enum bl_status status = bl_journal_new_id(id, err);

	entry.id = id;
	entry.reason = bl_arena_printf(
		arena, "team state %s, set %lld%s%.*s",
		bl_team_state_name(report->state), (long long)report->version,
		report->detail.len ? ": " : "", BL_STR_ARG(report->detail));
	if (!entry.reason.ptr)
		return bl_arena_fail(arena, err);
	return status ? status
		      : bl_journal_append(&journal, BL_EVENT_UNKNOWN, &entry, 1,
					  err);
}

enum bl_status
bl_team_refresh(const struct bl_team_client *client, struct bl_str journal_dir,
		struct bl_arena *arena, struct bl_team_report *out_report,
		struct bl_error *out_waiting, struct bl_error *err)
{
	size_t sent;
	enum bl_status status = bl_team_sync(client, arena, out_report, err);

	*out_waiting = (struct bl_error){ 0 };
	if (!status && out_report->has_changed)
		status = bl_team_record("belay team sync", journal_dir,
					out_report, arena, err);
	/* A read that found nothing has left its words there. */
	if (!status &&
	    bl_team_state_in_force(out_report->state) == BL_TEAM_NEWEST &&
	    !bl_team_upload(client, journal_dir, arena, &sent, out_waiting))
		*out_waiting = (struct bl_error){ 0 };
	return status;
}
