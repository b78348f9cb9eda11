/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seen.c: when each machine was last heard of.  Polls must not write, so they are
 * noted in memory and written every few seconds, all together.  A crash loses
 * seconds of it, which the next poll brings back.
 */
#include "server/app.h"

#include <stdlib.h>

enum { SLOTS = 8192 };

struct slot {
	char machine[APP_ID_BYTES];
	int64_t at;
};

/* A table that is emptied when it is written; one that is full drops. */
struct seen {
	pthread_mutex_t lock;
	size_t count;
	struct slot slots[SLOTS];
};

struct seen *seen_new(void)
{
	struct seen *seen = calloc(1, sizeof(*seen));

	if (seen)
		pthread_mutex_init(&seen->lock, NULL);
	return seen;
}

struct seen *seen_free(struct seen *seen)
{
	if (!seen)
		return NULL;
	pthread_mutex_destroy(&seen->lock);
	free(seen);
	return NULL;
}

void seen_note(struct seen *seen, struct bl_str machine, int64_t now_ms)
{
	size_t at = 0;

	if (machine.len >= APP_ID_BYTES)
		return;
	for (size_t i = 0; i < machine.len; i++)
		at = at * 31 + (unsigned char)machine.ptr[i];
	pthread_mutex_lock(&seen->lock);
	for (size_t i = 0; i < 64; i++) {
		struct slot *slot = &seen->slots[(at + i) % SLOTS];

		if (slot->at && !bl_str_is(machine, slot->machine))
			continue;
		seen->count += !slot->at;
		memcpy(slot->machine, machine.ptr, machine.len);
		slot->machine[machine.len] = '\0';
		slot->at = now_ms;
		break;
	}
	pthread_mutex_unlock(&seen->lock);
}

static enum bl_status write_slots(struct bl_db *db, const struct slot *slots,
				  struct bl_error *err)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < SLOTS; i++)
		if (slots[i].at)
			status = bl_db_run(
				db,
				BL_DB_QUERY(
					"UPDATE machine SET last_seen = $1 "
					"WHERE id = $2",
					bl_db_integer(slots[i].at),
					bl_db_text(bl_str(slots[i].machine))),
				NULL, err);
	return status;
}

enum bl_status seen_write(struct app *app, struct bl_error *err)
{
	struct seen *seen = app->seen;
	struct slot *slots = NULL;
	struct bl_db *db;
	enum bl_status status;

	pthread_mutex_lock(&seen->lock);
	if (seen->count)
		slots = malloc(sizeof(seen->slots));
	if (slots) {
		memcpy(slots, seen->slots, sizeof(seen->slots));
		memset(seen->slots, 0, sizeof(seen->slots));
		seen->count = 0;
	}
	pthread_mutex_unlock(&seen->lock);
	if (!slots)
		return BL_OK;
	status = bl_db_begin(app->store, BL_DB_WRITE, &db, err);
	if (!status)
		status = bl_db_end(db, write_slots(db, slots, err), err);
	free(slots);
	return status;
}
