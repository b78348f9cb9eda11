/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c: the pool of connections and transactions.  The first connection is the
 * only one that writes where the database has one writer.
 */
#include "server/store/private.h"

#include <stdlib.h>

#include "base/utf8.h"

static const struct store_driver *find_driver(struct bl_str where,
					      struct bl_error *err)
{
	(void)err;
	if (!bl_str_has_prefix(where, BL_STR("postgresql://")) &&
	    !bl_str_has_prefix(where, BL_STR("postgres://")))
		return &store_sqlite;
#ifdef HAVE_POSTGRESQL
	return &store_postgresql;
#else
	bl_fail(err, BL_UNSUPPORTED,
		"this belay-server was built without PostgreSQL (libpq)");
	return NULL;
#endif
}

enum bl_status bl_store_open(struct bl_str where, unsigned max_connections,
			     struct bl_store **out_store, struct bl_error *err)
{
	const struct store_driver *driver = find_driver(where, err);
	struct bl_store *store;
	enum bl_status status;

	if (!driver)
		return BL_UNSUPPORTED;
	store = calloc(1, sizeof(*store));
	if (!store)
		return bl_fail_memory(err);
	store->driver = driver;
	store->count = max_connections < 2 ? 2 : max_connections;
	if (store->count > STORE_MAX_CONNECTIONS)
		store->count = STORE_MAX_CONNECTIONS;
	pthread_mutex_init(&store->lock, NULL);
	pthread_cond_init(&store->freed, NULL);
	for (unsigned i = 0; i < store->count; i++)
		store->connections[i].store = store;
	store->where = strndup(where.ptr, where.len);
	status = store->where
			 ? driver->connect(where, BL_DB_WRITE,
					   &store->connections[0].connection,
					   err)
			 : bl_fail_memory(err);
	if (!status)
		status = store_migrate(store, store->connections[0].connection,
				       err);
	if (status) {
		bl_store_close(store);
		return status;
	}
	*out_store = store;
	return BL_OK;
}

struct bl_store *bl_store_close(struct bl_store *store)
{
	if (!store)
		return NULL;
	for (unsigned i = store->count; i-- > 0;)
		if (store->connections[i].connection)
			store->driver->disconnect(
				store->connections[i].connection);
	pthread_cond_destroy(&store->freed);
	pthread_mutex_destroy(&store->lock);
	free(store->where);
	free(store);
	return NULL;
}

bool bl_store_is_postgresql(const struct bl_store *store)
{
	return store->driver != &store_sqlite;
}

/* May this connection of the pool be used so? */
static bool is_fit(const struct bl_store *store, unsigned i,
		   enum bl_db_mode mode)
{
	if (!store->driver->has_one_writer)
		return true;
	return (i == 0) == (mode == BL_DB_WRITE);
}

/* Waits for a free connection. */
static struct bl_db *take(struct bl_store *store, enum bl_db_mode mode)
{
	struct bl_db *db = NULL;

	pthread_mutex_lock(&store->lock);
	while (!db) {
		for (unsigned i = 0; i < store->count && !db; i++)
			if (!store->connections[i].is_taken &&
			    is_fit(store, i, mode))
				db = &store->connections[i];
		if (!db)
			pthread_cond_wait(&store->freed, &store->lock);
	}
	db->is_taken = true;
	pthread_mutex_unlock(&store->lock);
	db->mode = mode;
	return db;
}

static void give_back(struct bl_db *db)
{
	struct bl_store *store = db->store;

	if (db->is_lost && db->connection) {
		store->driver->disconnect(db->connection);
		db->connection = NULL;
	}
	db->is_lost = false;
	pthread_mutex_lock(&store->lock);
	db->is_taken = false;
	pthread_cond_broadcast(&store->freed);
	pthread_mutex_unlock(&store->lock);
}

/* Connects when needed, and begins; a lost connection shows here first. */
static enum bl_status begin(struct bl_db *db, struct bl_error *err)
{
	const struct store_driver *driver = db->store->driver;
	enum bl_status status;

	if (!db->connection) {
		status = driver->connect(bl_str(db->store->where), db->mode,
					 &db->connection, err);
		if (status)
			return status;
	}
	return bl_db_run(db, BL_DB_PLAIN(driver->begin[db->mode]), NULL, err);
}

enum bl_status bl_db_begin(struct bl_store *store, enum bl_db_mode mode,
			   struct bl_db **out_db, struct bl_error *err)
{
	struct bl_db *db = take(store, mode);
	enum bl_status status = begin(db, err);

	/* The server was restarted meanwhile: nothing was done, so try again. */
	if (status && db->is_lost) {
		store->driver->disconnect(db->connection);
		db->connection = NULL;
		db->is_lost = false;
		status = begin(db, err);
	}
	if (status) {
		give_back(db);
		return status;
	}
	*out_db = db;
	return BL_OK;
}

enum bl_status bl_db_end(struct bl_db *db, enum bl_status status,
			 struct bl_error *err)
{
	if (!status)
		status = bl_db_run(db, BL_DB_PLAIN("COMMIT"), NULL, err);
	if (status && !db->is_lost &&
	    bl_db_run(db, BL_DB_PLAIN("ROLLBACK"), NULL, NULL))
		db->is_lost = true;
	give_back(db);
	return status;
}

/*
 * Texts are UTF-8 without NUL in both databases: PostgreSQL cannot keep others,
 * and a text that SQLite keeps has to move there one day.
 */
static enum bl_status check_texts(const struct bl_db_query *query,
				  struct bl_error *err)
{
	for (size_t i = 0; i < query->count; i++) {
		struct bl_str text = query->values[i].text;

		if (query->values[i].type == BL_DB_TEXT &&
		    (memchr(text.ptr, '\0', text.len) ||
		     !bl_utf8_is_valid(text)))
			return bl_fail(err, BL_INVALID,
				       "a text is not UTF-8, or holds a NUL "
				       "character");
	}
	return BL_OK;
}

enum bl_status bl_db_run(struct bl_db *db, const struct bl_db_query *query,
			 uint64_t *out_changes, struct bl_error *err)
{
	uint64_t changes = 0;
	enum bl_status status = check_texts(query, err);

	if (!status)
		status = db->store->driver->query(db, query, NULL, &changes,
						  err);
	if (!status && out_changes)
		*out_changes = changes;
	return status;
}

enum bl_status bl_db_ask(struct bl_db *db, const struct bl_db_query *query,
			 struct bl_arena *arena, struct bl_rows *out_rows,
			 struct bl_error *err)
{
	uint64_t changes;
	enum bl_status status = check_texts(query, err);

	*out_rows = (struct bl_rows){ 0 };
	db->arena = arena;
	return status ? status
		      : db->store->driver->query(db, query, out_rows, &changes,
						 err);
}

enum bl_status bl_db_lock(struct bl_db *db, int number, struct bl_error *err)
{
	if (db->store->driver->has_one_writer)
		return BL_OK;
	return bl_db_run(db,
			 BL_DB_QUERY("SELECT pg_advisory_xact_lock($1)",
				     bl_db_integer(number)),
			 NULL, err);
}

int64_t bl_rows_integer(const struct bl_rows *rows, size_t row, size_t column)
{
	struct bl_str text = bl_rows_text(rows, row, column);

	/* Cells end with NUL. */
	return text.len ? strtoll(text.ptr, NULL, 10) : 0;
}
