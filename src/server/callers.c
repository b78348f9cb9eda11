/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callers.c: who asks, and how often.  Good tokens are remembered, so that a
 * machine that polls costs no question to the database; all are forgotten when
 * something is revoked by any server of the database (its epoch rises).
 */
#include "base/hex.h"
#include "server/session.h"

#include <stdlib.h>

enum {
	BUCKETS = 16384,
	MAX_ENTRIES = 2000000,
	ADDRESSES = 4096,
	BURST_SECONDS = 5, /* of requests that may come at once */
	OPEN_PART = 4,     /* of the rate, for addresses without a token */
	SESSION_IDLE_MS = 8 * HOUR_MS,
	ROUNDS = 4,      /* of looking and asking, while others revoke */
	MAX_NOTES = 256, /* sessions whose last use is written at once */
};

struct entry {
	struct entry *next;
	char hash[BL_SHA256_HEX_BYTES];
	enum app_role role;
	char kind;
	int64_t expires;        /* wall clock; 0: never */
	atomic_llong idle_from; /* of sessions: when it was last used */
	atomic_llong noted;     /* as the database knows it */
	atomic_bool replaces;   /* another token, which is to be revoked */
	int64_t created;
	atomic_llong due_ns; /* of the rate: when all is paid back */
	char *texts;         /* id, name, machine, labels, each with NUL */
	struct bl_str id;
	struct bl_str name;
	struct bl_str machine;
	struct bl_str labels;
};

struct callers {
	pthread_rwlock_t lock; /* guards the buckets */
	struct entry *buckets[BUCKETS];
	size_t count;
	uint64_t generation; /* how often all was forgotten */
	atomic_bool have_replaced;
	atomic_llong addresses[ADDRESSES]; /* due_ns of those without a token */
};

struct callers *callers_new(void)
{
	struct callers *callers = calloc(1, sizeof(*callers));

	if (callers)
		pthread_rwlock_init(&callers->lock, NULL);
	return callers;
}

static void clear(struct callers *callers)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		while (callers->buckets[i]) {
			struct entry *entry = callers->buckets[i];

			callers->buckets[i] = entry->next;
			free(entry->texts);
			free(entry);
		}
	}
	callers->count = 0;
}

void callers_forget(struct callers *callers)
{
	pthread_rwlock_wrlock(&callers->lock);
	clear(callers);
	callers->generation++;
	pthread_rwlock_unlock(&callers->lock);
}

struct callers *callers_free(struct callers *callers)
{
	if (!callers)
		return NULL;
	clear(callers);
	pthread_rwlock_destroy(&callers->lock);
	free(callers);
	return NULL;
}

/* The first digits of a SHA-256 are as good as any hash. */
static size_t bucket_of(const char *hash)
{
	size_t value = 0;

	for (size_t i = 0; i < 4; i++)
		value = value * 16 + (size_t)bl_hex_value(hash[i]);
	return value % BUCKETS;
}

static struct entry *look_up(struct callers *callers, const char *hash)
{
	struct entry *entry = callers->buckets[bucket_of(hash)];

	while (entry && strcmp(entry->hash, hash) != 0)
		entry = entry->next;
	return entry;
}

/* ---- from the database ---------------------------------------------------- */

static struct bl_str keep(char **to, struct bl_str text)
{
	struct bl_str kept = { *to, text.len };

	if (text.len)
		memcpy(*to, text.ptr, text.len);
	(*to)[text.len] = '\0';
	*to += text.len + 1;
	return kept;
}

/* A row of fetch.  NULL: out of memory. */
static struct entry *make_entry(const char *hash, const struct bl_rows *rows)
{
	struct entry *entry = calloc(1, sizeof(*entry));
	struct bl_str texts[5];
	size_t bytes = 0;
	char *to;

	if (!entry)
		return NULL;
	for (size_t i = 0; i < 4; i++) {
		texts[i] = bl_rows_text(rows, 0, i);
		bytes += texts[i].len + 1;
	}
	texts[4] = bl_rows_text(rows, 0, 5);
	to = entry->texts = malloc(bytes);
	if (!to) {
		free(entry);
		return NULL;
	}
	memcpy(entry->hash, hash, BL_SHA256_HEX_BYTES);
	entry->id = keep(&to, texts[0]);
	entry->name = keep(&to, texts[1]);
	entry->machine = keep(&to, texts[2]);
	entry->labels = keep(&to, texts[3]);
	entry->role = app_role_find(bl_rows_text(rows, 0, 4));
	entry->kind = texts[4].len ? texts[4].ptr[0] : 0;
	entry->expires = bl_rows_integer(rows, 0, 6);
	atomic_init(&entry->idle_from, bl_rows_integer(rows, 0, 8));
	atomic_init(&entry->noted, bl_rows_integer(rows, 0, 8));
	entry->created = bl_rows_integer(rows, 0, 9);
	atomic_init(&entry->replaces, bl_rows_text(rows, 0, 10).ptr != NULL);
	return entry;
}

/*
 * Puts it among the others, unless all were forgotten since the generation in
 * which it was read: it may be revoked by now.
 */
static void add(struct callers *callers, struct entry *entry,
		uint64_t generation)
{
	struct entry *there;
	size_t bucket = bucket_of(entry->hash);
	bool is_taken = false;

	pthread_rwlock_wrlock(&callers->lock);
	there = look_up(callers, entry->hash);
	if (there) {
		/* Another server of the database may have been asked. */
		if (atomic_load(&there->idle_from) <
		    atomic_load(&entry->idle_from))
			atomic_store(&there->idle_from,
				     atomic_load(&entry->idle_from));
	} else if (callers->generation == generation) {
		if (callers->count >= MAX_ENTRIES)
			clear(callers);
		entry->next = callers->buckets[bucket];
		callers->buckets[bucket] = entry;
		callers->count++;
		is_taken = true;
	}
	pthread_rwlock_unlock(&callers->lock);
	if (!is_taken) {
		free(entry->texts);
		free(entry);
	}
}

/* One indexed read.  Returns why the token is not good; NULL: look again. */
static const char *fetch(struct app *app, const char *hash, uint64_t generation)
{
	const char *why = NULL;
	struct bl_arena arena;
	struct bl_rows rows;
	struct bl_error err;
	struct bl_db *db;
	struct entry *entry;
	enum bl_status status;

	if (bl_db_begin(app->store, BL_DB_READ, &db, &err))
		return "unavailable";
	bl_arena_init(&arena, NULL, 0, 0);
	status = bl_db_end(
		db,
		bl_db_ask(db,
			  BL_DB_QUERY("SELECT id, name, machine, labels, role, "
				      "kind, expires, revoked, "
				      "COALESCE(last_used, created), created, "
				      "replaces FROM token WHERE hash = $1 AND "
				      "kind IN ('p', 'm', 's')",
				      bl_db_text(bl_str(hash))),
			  &arena, &rows, &err),
		&err);
	entry = NULL;
	if (!status && !rows.count)
		why = "unknown";
	else if (!status && bl_rows_text(&rows, 0, 7).ptr)
		why = "revoked";
	else if (!status)
		entry = make_entry(hash, &rows);
	if (entry)
		add(app->callers, entry, generation);
	else if (!why)
		why = "unavailable";
	bl_arena_clear(&arena);
	return why;
}

/* ---- when sessions were last used ------------------------------------------ */

struct note {
	int64_t at;
	char id[APP_ID_BYTES];
	bool replaces;
};

/* Sessions that were used at least so long after what the database knows. */
static size_t collect_notes(struct callers *callers, int64_t after_ms,
			    struct note notes[MAX_NOTES])
{
	size_t count = 0;

	pthread_rwlock_rdlock(&callers->lock);
	for (size_t i = 0; i < BUCKETS; i++) {
		struct entry *entry = callers->buckets[i];

		for (; entry && count < MAX_NOTES; entry = entry->next) {
			int64_t used = atomic_load(&entry->idle_from);

			bool replaces = atomic_load(&entry->replaces);

			if (entry->id.len >= APP_ID_BYTES)
				continue;
			if (!replaces &&
			    (entry->kind != 's' ||
			     used - atomic_load(&entry->noted) <= after_ms))
				continue;
			notes[count].replaces = replaces;
			memcpy(notes[count].id, entry->id.ptr, entry->id.len);
			notes[count].id[entry->id.len] = '\0';
			notes[count++].at = used;
			atomic_store(&entry->noted, used);
		}
	}
	pthread_rwlock_unlock(&callers->lock);
	return count;
}

/* The old token is over, for all servers of the database. */
static enum bl_status revoke_replaced(struct bl_db *db, const struct note *note,
				      struct bl_error *err)
{
	enum bl_status status = bl_db_run(
		db,
		BL_DB_QUERY("UPDATE token SET revoked = $1 WHERE revoked IS "
			    "NULL AND id = (SELECT replaces FROM token WHERE "
			    "id = $2)",
			    bl_db_integer(note->at),
			    bl_db_text(bl_str(note->id))),
		NULL, err);

	if (!status)
		status = bl_db_run(
			db,
			BL_DB_QUERY("UPDATE token SET replaces = NULL WHERE id "
				    "= $1",
				    bl_db_text(bl_str(note->id))),
			NULL, err);
	return status ? status : epoch_raise(db, err);
}

static enum bl_status write_note(struct bl_db *db, const struct note *note,
				 struct bl_error *err)
{
	enum bl_status status = bl_db_run(
		db,
		BL_DB_QUERY("UPDATE token SET last_used = $1 WHERE id = $2 AND "
			    "(last_used IS NULL OR last_used < $1)",
			    bl_db_integer(note->at),
			    bl_db_text(bl_str(note->id))),
		NULL, err);

	return status || !note->replaces ? status
					 : revoke_replaced(db, note, err);
}

bool callers_have_replaced(struct callers *callers)
{
	return atomic_load(&callers->have_replaced);
}

enum bl_status callers_write(struct app *app, int64_t after_ms,
			     struct bl_error *err)
{
	struct note notes[MAX_NOTES];
	struct bl_db *db;
	enum bl_status status;
	size_t count;

	atomic_store(&app->callers->have_replaced, false);
	count = collect_notes(app->callers, after_ms, notes);
	if (!count)
		return BL_OK;
	status = bl_db_begin(app->store, BL_DB_WRITE, &db, err);
	if (status)
		return status;
	for (size_t i = 0; !status && i < count; i++)
		status = write_note(db, &notes[i], err);
	return bl_db_end(db, status, err);
}

/* ---- the request ---------------------------------------------------------- */

const char *app_cookie_name(const struct app *app)
{
	return app->is_secure ? "__Host-belay" : "belay-session";
}

/* "Bearer TOKEN"; else the cookie. */
static struct bl_str find_token(struct app *app,
				struct bl_server_request *request,
				bool *out_by_cookie)
{
	struct bl_str header = bl_server_header(request, "Authorization");

	*out_by_cookie = false;
	if (header.ptr)
		return header.len > 7 && !strncasecmp(header.ptr, "Bearer ", 7)
			       ? bl_str_slice(header, 7, SIZE_MAX)
			       : BL_STR("");
	*out_by_cookie = true;
	return bl_server_cookie(request, app_cookie_name(app));
}

static bool is_idle(const struct entry *entry)
{
	return entry->kind == 's' &&
	       bl_os_wall_ms() - atomic_load(&entry->idle_from) >
		       SESSION_IDLE_MS;
}

/* Is it time for a machine to have another token? */
static bool wants_renewal(const struct app *app, const struct entry *entry,
			  int64_t now)
{
	if (entry->kind != 'm')
		return false;
	return entry->expires ? now - entry->created > entry->expires - now
			      : app->options.machine_token_days > 0;
}

/* Copies what is known; the lock is held. */
static const char *take(struct app *app, struct entry *entry,
			struct bl_arena *arena, struct caller *who)
{
	int64_t now = bl_os_wall_ms();

	if ((entry->expires && now >= entry->expires) || is_idle(entry))
		return "expired";
	atomic_store(&entry->idle_from, now);
	if (atomic_load(&entry->replaces))
		atomic_store(&app->callers->have_replaced, true);
	who->wants_renewal = wants_renewal(app, entry, now);
	who->role = entry->role;
	who->id = bl_arena_copy_str(arena, entry->id);
	who->name = bl_arena_copy_str(arena, entry->name);
	who->machine = bl_arena_copy_str(arena, entry->machine);
	who->labels = bl_arena_copy_str(arena, entry->labels);
	return who->labels.ptr ? NULL : "unavailable";
}

struct caller *callers_find(struct app *app, struct bl_server_request *request,
			    const char **out_why)
{
	struct caller *who = bl_arena_new(&request->arena, struct caller);
	char hash[BL_SHA256_HEX_BYTES];
	struct bl_str token;

	*out_why = "unavailable";
	if (!who)
		return NULL;
	token = find_token(app, request, &who->by_cookie);
	if (!token.ptr) {
		who->role = ROLE_NOBODY;
		who->name = BL_STR("nobody");
		who->by_cookie = false;
		return who;
	}
	*out_why = "unknown";
	if (!token_is_whole(token, hash) ||
	    (token.ptr[4] == 's') != who->by_cookie)
		return who;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t generation;
		struct entry *entry;

		pthread_rwlock_rdlock(&app->callers->lock);
		generation = app->callers->generation;
		entry = look_up(app->callers, hash);
		/* Idle here: another server may know better. */
		if (entry && !round && is_idle(entry))
			entry = NULL;
		if (entry)
			*out_why = take(app, entry, &request->arena, who);
		pthread_rwlock_unlock(&app->callers->lock);
		if (entry)
			return who;
		*out_why = fetch(app, hash, generation);
		if (*out_why)
			return who;
	}
	*out_why = "unavailable";
	return who;
}

/* ---- how often ------------------------------------------------------------ */

/*
 * Each request costs 1/rate seconds, and may be owed up to a burst: due is when
 * all is paid back.  At 10 a second with a burst of 5: five requests at 0 s
 * make due 0.5 s, and the sixth is too much until 0.1 s.
 */
static bool pay(atomic_llong *due, int64_t rate, int64_t burst)
{
	int64_t now = bl_os_monotonic_ns();
	int64_t price = 1000000000 / rate;
	long long owed = atomic_load(due);
	long long next;

	do {
		next = (owed > now ? owed : now) + price;
		if (next - now > price * burst)
			return false;
	} while (!atomic_compare_exchange_weak(due, &owed, next));
	return true;
}

static atomic_llong *due_of_address(struct callers *callers,
				    const struct bl_ip *ip)
{
	uint64_t value = 14695981039346656037U;

	/* Of IPv6 the network of 64 bits: one customer has all of it. */
	for (size_t i = 0; i < (ip->len == 4 ? 4U : 8U); i++)
		value = (value ^ ip->bytes[i]) * 1099511628211U;
	return &callers->addresses[(value >> 20) % ADDRESSES];
}

bool callers_may_go_on(struct app *app, struct bl_server_request *request,
		       const struct caller *who, bool is_open)
{
	struct callers *callers = app->callers;
	int64_t rate = app->options.rate;
	struct entry *entry;
	char hash[BL_SHA256_HEX_BYTES];
	bool by_cookie;
	bool may = true;

	if (who->role == ROLE_NOBODY || !who->role)
		return pay(due_of_address(callers, &request->peer),
			   is_open ? rate / OPEN_PART + 1 : rate,
			   is_open ? rate * 2 : rate * BURST_SECONDS);
	if (!token_is_whole(find_token(app, request, &by_cookie), hash))
		return false;
	pthread_rwlock_rdlock(&callers->lock);
	entry = look_up(callers, hash);
	if (entry)
		may = pay(&entry->due_ns, rate, rate * BURST_SECONDS);
	pthread_rwlock_unlock(&callers->lock);
	return may;
}
