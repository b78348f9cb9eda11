/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export.c: records on their way to collectors, each at least once.
 *
 * An upload puts a row into the table "export" for each collector, in the
 * transaction that keeps its records: so none is forgotten, in whatever order
 * transactions end.  A thread for each collector takes the oldest uploads, sends
 * them as one message, and takes their rows away when the collector has them.  Of
 * several servers of a database one sends at a time: the one whose turn it is by
 * the table "collector".  No request waits for any of it.
 */
#include "server/export.h"

#include <stdlib.h>

enum {
	POLL_MS = SECOND_MS,       /* for new uploads */
	TURN_MS = 20 * SECOND_MS,  /* how long a server sends, until renewed */
	NEED_MS = 14 * SECOND_MS,  /* that a message may take */
	OTHERS_MS = 5 * SECOND_MS, /* until it may be our turn */
	LEAST_WAIT_MS = SECOND_MS, /* after a failure, doubled with each */
	MOST_WAIT_MS = 5 * MINUTE_MS, /* but no more than this */
	MAX_BATCHES = 16,             /* uploads of a message */
	MAX_BYTES = 1 << 20, /* of a message that still gets another upload */
};

struct collector {
	const char *name; /* in the database, and of its form */
	size_t option;    /* where it is, in struct app_options */
	void (*send)(const struct send_to *to, struct bl_str body,
		     struct send_result *out);
};

static const struct collector collectors[] = {
	{ "otlp", offsetof(struct app_options, export_otlp), send_otlp },
	{ "syslog", offsetof(struct app_options, export_syslog), send_syslog },
};

enum { COUNT_SENT, COUNT_REFUSED, COUNT_FAILED, COUNTERS };

/* One collector's thread. */
struct exporter {
	const struct collector *collector;
	struct exports *exports;
	struct bl_http_client *http;
	pthread_t thread;
	bool is_running;
	int64_t turn_until_ms; /* monotonic; 0: it is not our turn */
	unsigned failures;     /* in a row */
	size_t most;           /* uploads of the next message */
	atomic_ullong counts[COUNTERS];
	atomic_llong oldest_ms; /* when what waits came; 0: nothing waits */
};

struct exports {
	struct app *app;
	struct bl_flag stop;
	char holder[APP_ID_BYTES]; /* this server */
	size_t count;
	struct exporter items[BL_COUNT(collectors)];
};

/* Uploads that become one message. */
struct haul {
	struct bl_arena arena;
	struct bl_str batches[MAX_BATCHES];
	size_t count;
	uint64_t records;
	struct bl_buf body;
};

static int64_t monotonic_ms(void)
{
	return bl_os_monotonic_ns() / 1000000;
}

/* ---- the queue ----------------------------------------------------------------- */

bool exports_wanted(const struct app *app)
{
	return app->exports != NULL;
}

enum bl_status exports_put(struct call *call, struct bl_str batch)
{
	const struct exports *exports = call->app->exports;
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < exports->count; i++)
		status = call_run(
			call,
			BL_DB_QUERY("INSERT INTO export (collector, batch, "
				    "queued) VALUES ($1, $2, $3)",
				    bl_db_text(bl_str(
					    exports->items[i].collector->name)),
				    bl_db_text(batch),
				    bl_db_integer(call->now_ms)),
			NULL);
	return status;
}

/* The oldest uploads that wait, at most exporter->most. */
static enum bl_status find_batches(struct exporter *exporter, struct bl_db *db,
				   struct haul *haul, struct bl_error *err)
{
	struct bl_rows rows;
	enum bl_status status = bl_db_ask(
		db,
		BL_DB_QUERY("SELECT batch, queued FROM export WHERE collector "
			    "= $1 ORDER BY queued, batch LIMIT $2",
			    bl_db_text(bl_str(exporter->collector->name)),
			    bl_db_integer((int64_t)exporter->most)),
		&haul->arena, &rows, err);

	if (status)
		return status;
	atomic_store(&exporter->oldest_ms, bl_rows_integer(&rows, 0, 1));
	haul->count = rows.count;
	for (size_t i = 0; i < rows.count; i++)
		haul->batches[i] = bl_rows_text(&rows, i, 0);
	return BL_OK;
}

/* The records of an upload; those that are too old by now are gone. */
static enum bl_status put_batch(const struct export_form *form,
				struct bl_db *db, struct haul *haul, size_t i,
				struct bl_error *err)
{
	struct bl_rows rows;
	enum bl_status status = bl_db_ask(
		db,
		BL_DB_QUERY("SELECT " EXPORT_COLUMNS " FROM execution e LEFT "
			    "JOIN machine m ON m.id = e.machine WHERE e.batch "
			    "= $1 ORDER BY e.at, e.seq",
			    bl_db_text(haul->batches[i])),
		&haul->arena, &rows, err);

	for (size_t row = 0; !status && row < rows.count; row++) {
		bl_buf_puts(&haul->body, haul->records ? form->between : "");
		form->put(&haul->body, &rows, row);
		haul->records++;
	}
	return status;
}

static enum bl_status fill_haul(struct exporter *exporter, struct bl_db *db,
				struct haul *haul, struct bl_error *err)
{
	const struct export_form *form =
		export_form_find(bl_str(exporter->collector->name));
	enum bl_status status = find_batches(exporter, db, haul, err);
	size_t taken = 0;

	if (status)
		return status;
	form->begin(&haul->body, exporter->exports->app);
	while (!status && taken < haul->count && haul->body.len < MAX_BYTES)
		status = put_batch(form, db, haul, taken++, err);
	haul->count = taken;
	bl_buf_puts(&haul->body, form->end);
	if (!status && bl_buf_status(&haul->body))
		status = bl_fail_memory(err);
	return status;
}

static enum bl_status read_haul(struct exporter *exporter, struct haul *haul,
				struct bl_error *err)
{
	struct bl_db *db;
	enum bl_status status = bl_db_begin(exporter->exports->app->store,
					    BL_DB_READ, &db, err);

	return status ? status
		      : bl_db_end(db, fill_haul(exporter, db, haul, err), err);
}

/* They are where they belong. */
static enum bl_status forget_haul(struct exporter *exporter,
				  const struct haul *haul, struct bl_error *err)
{
	struct bl_db *db;
	enum bl_status status = bl_db_begin(exporter->exports->app->store,
					    BL_DB_WRITE, &db, err);

	if (status)
		return status;
	for (size_t i = 0; !status && i < haul->count; i++)
		status = bl_db_run(
			db,
			BL_DB_QUERY(
				"DELETE FROM export WHERE collector = $1 AND "
				"batch = $2",
				bl_db_text(bl_str(exporter->collector->name)),
				bl_db_text(haul->batches[i])),
			NULL, err);
	return bl_db_end(db, status, err);
}

/* ---- whose turn it is ------------------------------------------------------------ */

/* Takes or renews the turn; *out_mine false: another server has it. */
static enum bl_status take_turn(struct exporter *exporter, bool *out_mine,
				struct bl_error *err)
{
	const struct exports *exports = exporter->exports;
	int64_t now = bl_os_wall_ms();
	uint64_t changed = 0;
	struct bl_db *db;
	enum bl_status status =
		bl_db_begin(exports->app->store, BL_DB_WRITE, &db, err);

	if (status)
		return status;
	exporter->turn_until_ms = monotonic_ms() + TURN_MS;
	status = bl_db_run(
		db,
		BL_DB_QUERY("INSERT INTO collector (name, holder, until) "
			    "VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE "
			    "SET holder = excluded.holder, until = "
			    "excluded.until WHERE collector.holder = "
			    "excluded.holder OR collector.until < $4",
			    bl_db_text(bl_str(exporter->collector->name)),
			    bl_db_text(bl_str(exports->holder)),
			    bl_db_integer(now + TURN_MS), bl_db_integer(now)),
		&changed, err);
	status = bl_db_end(db, status, err);
	*out_mine = !status && changed;
	if (!*out_mine)
		exporter->turn_until_ms = 0;
	return status;
}

/* So that the next server, or this one started again, need not wait. */
static void give_turn_back(struct exporter *exporter)
{
	const struct exports *exports = exporter->exports;
	struct bl_error err;
	struct bl_db *db;

	if (!exporter->turn_until_ms ||
	    bl_db_begin(exports->app->store, BL_DB_WRITE, &db, &err))
		return;
	(void)bl_db_end(
		db,
		bl_db_run(db,
			  BL_DB_QUERY(
				  "DELETE FROM collector WHERE name = $1 AND "
				  "holder = $2",
				  bl_db_text(bl_str(exporter->collector->name)),
				  bl_db_text(bl_str(exports->holder))),
			  NULL, &err),
		&err);
}

/* ---- sending ---------------------------------------------------------------------- */

/* Half of the wait is by chance, so that servers do not come all at once. */
static int64_t wait_after(unsigned failures, int64_t asked_ms)
{
	int64_t wait = LEAST_WAIT_MS;
	uint32_t chance = 0;

	while (--failures && wait < MOST_WAIT_MS)
		wait *= 2;
	if (wait < asked_ms)
		wait = asked_ms;
	if (wait > MOST_WAIT_MS)
		wait = MOST_WAIT_MS;
	(void)bl_os_random(&chance, sizeof(chance), NULL);
	return wait / 2 + (int64_t)chance % (wait / 2 + 1);
}

/* Counts a failure, and says how long to wait. */
static int64_t note_failure(struct exporter *exporter, const char *why,
			    int64_t asked_ms)
{
	atomic_fetch_add(&exporter->counts[COUNT_FAILED], 1);
	if (!exporter->failures++)
		app_log(LOG_WARNING, "export to %s: %s; records wait",
			exporter->collector->name, why);
	return wait_after(exporter->failures, asked_ms);
}

static void note_success(struct exporter *exporter, const struct haul *haul,
			 const struct send_result *result)
{
	uint64_t refused = result->end == SEND_REFUSED
				   ? haul->records
				   : (uint64_t)result->refused;

	if (exporter->failures)
		app_log(LOG_NOTE, "export to %s: it goes on",
			exporter->collector->name);
	if (result->why[0])
		app_log(LOG_WARNING, "export to %s: %llu records are lost: %s",
			exporter->collector->name, (unsigned long long)refused,
			result->why);
	if (refused > haul->records)
		refused = haul->records;
	atomic_fetch_add(&exporter->counts[COUNT_REFUSED], refused);
	atomic_fetch_add(&exporter->counts[COUNT_SENT],
			 haul->records - refused);
	exporter->failures = 0;
	exporter->most = MAX_BATCHES;
}

/* Returns how long to wait, in milliseconds. */
static int64_t send_haul(struct exporter *exporter, const struct haul *haul)
{
	struct exports *exports = exporter->exports;
	struct send_to to = { .options = &exports->app->options,
			      .http = exporter->http,
			      .stop = &exports->stop };
	struct send_result result = { .end = SEND_TAKEN };
	struct bl_error err;

	if (haul->records)
		exporter->collector->send(&to, bl_buf_str(&haul->body),
					  &result);
	/* One of several uploads is to blame: one by one. */
	if (result.end == SEND_REFUSED && haul->count > 1) {
		exporter->most = 1;
		return 0;
	}
	if (result.end == SEND_FAILED)
		return note_failure(exporter, result.why,
				    result.retry_after_ms);
	if (forget_haul(exporter, haul, &err))
		return note_failure(exporter, err.message, 0);
	note_success(exporter, haul, &result);
	return 0;
}

/* Sends what waits, when it is our turn.  Returns how long to wait. */
static int64_t go_round(struct exporter *exporter, struct haul *haul)
{
	bool is_mine = exporter->turn_until_ms - monotonic_ms() > NEED_MS;
	struct bl_error err;
	enum bl_status status = read_haul(exporter, haul, &err);

	if (!status && !haul->count)
		return POLL_MS;
	if (!status && !is_mine) {
		bool had_turn = exporter->turn_until_ms != 0;

		status = take_turn(exporter, &is_mine, &err);
		/* Another one may have sent what was read before. */
		if (!status && !had_turn)
			return is_mine ? 0 : OTHERS_MS;
		if (!status && !is_mine)
			return OTHERS_MS;
	}
	return status ? note_failure(exporter, err.message, 0)
		      : send_haul(exporter, haul);
}

static void *live(void *context)
{
	struct exporter *exporter = context;
	int64_t wait = 0;

	while (!bl_os_wait_readable(exporter->exports->stop.fd,
				    (uint32_t)wait)) {
		struct haul haul = { .count = 0 };

		bl_arena_init(&haul.arena, NULL, 0, 0);
		bl_buf_init(&haul.body, 0);
		wait = go_round(exporter, &haul);
		bl_buf_clear(&haul.body);
		bl_arena_clear(&haul.arena);
	}
	give_turn_back(exporter);
	return NULL;
}

/* ---- life -------------------------------------------------------------------------- */

static const struct bl_str *target_of(const struct app *app, size_t i)
{
	return (const struct bl_str *)((const char *)&app->options +
				       collectors[i].option);
}

/* Said once: everybody on the way can read, and change, what is sent so. */
static void warn_of_clear_text(const struct collector *collector,
			       struct bl_str target)
{
	static const char *const here[] = { "127.", "localhost:", "[::1]:" };
	bool is_url = bl_str_has_prefix(target, BL_STR("http://"));
	struct bl_str host =
		is_url ? bl_str_slice(target, 7, SIZE_MAX) : target;

	if (bl_str_has_prefix(target, BL_STR("https://")) ||
	    bl_str_has_prefix(target, BL_STR("tls://")))
		return;
	for (size_t i = 0; i < BL_COUNT(here); i++)
		if (bl_str_has_prefix(host, bl_str(here[i])))
			return;
	app_log(LOG_WARNING, "export to %s: records go to %.*s in clear text",
		collector->name, BL_STR_ARG(target));
}

static enum bl_status start_exporter(struct exporter *exporter,
				     struct bl_error *err)
{
	enum bl_status status = bl_http_client_new(&exporter->http, err);

	if (status)
		return status;
	exporter->most = MAX_BATCHES;
	if (pthread_create(&exporter->thread, NULL, live, exporter))
		return bl_fail(err, BL_SYSTEM,
			       "there is no thread for the export");
	exporter->is_running = true;
	return BL_OK;
}

enum bl_status exports_start(struct app *app, struct bl_error *err)
{
	struct exports *exports;
	enum bl_status status;
	size_t wanted = 0;

	for (size_t i = 0; i < BL_COUNT(collectors); i++)
		wanted += target_of(app, i)->len > 0;
	if (!wanted)
		return BL_OK;
	exports = calloc(1, sizeof(*exports));
	if (!exports)
		return bl_fail_memory(err);
	exports->app = app;
	app->exports = exports;
	status = bl_flag_init(&exports->stop, err);
	if (!status)
		status = app_new_id(exports->holder, err);
	for (size_t i = 0; !status && i < BL_COUNT(collectors); i++) {
		struct exporter *exporter = &exports->items[exports->count];

		if (!target_of(app, i)->len)
			continue;
		warn_of_clear_text(&collectors[i], *target_of(app, i));
		exporter->collector = &collectors[i];
		exporter->exports = exports;
		exports->count++;
		status = start_exporter(exporter, err);
	}
	return status;
}

void exports_stop(struct app *app)
{
	struct exports *exports = app->exports;

	if (!exports)
		return;
	bl_flag_raise(&exports->stop);
	for (size_t i = 0; i < exports->count; i++) {
		if (exports->items[i].is_running)
			pthread_join(exports->items[i].thread, NULL);
		bl_http_client_free(exports->items[i].http);
	}
	bl_flag_clear(&exports->stop);
	free(exports);
	app->exports = NULL;
}

/* ---- numbers ------------------------------------------------------------------------ */

static const struct {
	const char *name;
	const char *help;
} counters[COUNTERS] = {
	[COUNT_SENT] = { "belay_export_records_total",
			 "Records that a collector has." },
	[COUNT_REFUSED] = { "belay_export_refused_records_total",
			    "Records that a collector does not take." },
	[COUNT_FAILED] = { "belay_export_failures_total",
			   "Messages that have to be sent again." },
};

static void put_counter(const struct exports *exports, struct bl_buf *out,
			size_t which)
{
	const char *name = counters[which].name;

	bl_buf_printf(out, "# HELP %s %s\n# TYPE %s counter\n", name,
		      counters[which].help, name);
	for (size_t i = 0; i < exports->count; i++)
		bl_buf_printf(out, "%s{collector=\"%s\"} %llu\n", name,
			      exports->items[i].collector->name,
			      atomic_load(&exports->items[i].counts[which]));
}

void exports_put_metrics(const struct app *app, struct bl_buf *out)
{
	static const char lag[] = "belay_export_lag_seconds";
	const struct exports *exports = app->exports;

	if (!exports)
		return;
	for (size_t i = 0; i < COUNTERS; i++)
		put_counter(exports, out, i);
	bl_buf_printf(out,
		      "# HELP %s How long the oldest record has waited.\n"
		      "# TYPE %s gauge\n",
		      lag, lag);
	for (size_t i = 0; i < exports->count; i++) {
		int64_t oldest = atomic_load(&exports->items[i].oldest_ms);
		int64_t age = oldest ? bl_os_wall_ms() - oldest : 0;

		bl_buf_printf(out, "%s{collector=\"%s\"} %.3f\n", lag,
			      exports->items[i].collector->name,
			      age > 0 ? (double)age / SECOND_MS : 0.0);
	}
}
