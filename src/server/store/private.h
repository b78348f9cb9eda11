/* SPDX-License-Identifier: Apache-2.0 */
/* server/store/private.h: what the files of the store share. */
#ifndef BELAY_SERVER_STORE_PRIVATE_H
#define BELAY_SERVER_STORE_PRIVATE_H

#include <pthread.h>
#include <stdio.h>

#include "base/buf.h"
#include "server/store/store.h"

/* A kind of database: one row of functions each. */
struct store_driver {
	const char *name;
	/* Words of the migrations and what stands for them. */
	const char *const (*words)[2];
	size_t word_count;
	enum bl_status (*connect)(struct bl_str where, enum bl_db_mode mode,
				  void **out, struct bl_error *err);
	void (*disconnect)(void *connection);
	/* Several statements, without parameters. */
	enum bl_status (*script)(void *connection, const char *sql,
				 struct bl_error *err);
	/* rows and arena may be NULL. */
	enum bl_status (*query)(struct bl_db *db,
				const struct bl_db_query *query,
				struct bl_rows *rows, uint64_t *changes,
				struct bl_error *err);
	enum bl_status (*version)(void *connection, int64_t *out,
				  struct bl_error *err);
	enum bl_status (*set_version)(void *connection, int64_t version,
				      struct bl_error *err);
	const char *begin[2]; /* by enum bl_db_mode */
	bool has_one_writer;
};

extern const struct store_driver store_sqlite;
#ifdef HAVE_POSTGRESQL
extern const struct store_driver store_postgresql;
#endif

enum { STORE_MAX_CONNECTIONS = 64 };

struct bl_db {
	struct bl_store *store;
	void *connection; /* NULL: not yet, or lost */
	enum bl_db_mode mode;
	struct bl_arena *arena; /* of the question that is asked */
	bool is_taken;
	bool is_lost; /* connect anew before it is used again */
};

struct bl_store {
	const struct store_driver *driver;
	char *where;
	pthread_mutex_t lock; /* guards is_taken */
	pthread_cond_t freed;
	unsigned count;
	struct bl_db connections[STORE_MAX_CONNECTIONS];
};

/* sqlite.c: the whole database into a new file, while it is in use. */
enum bl_status store_sqlite_backup(void *connection, struct bl_str path,
				   struct bl_error *err);

/* migrate.c */
enum bl_status store_migrate(struct bl_store *store, void *connection,
			     struct bl_error *err);
extern const char *const store_tables[];
extern const size_t store_table_count;

#endif
