/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keyring.c: a token in the desktop's keyring (the Secret Service of D-Bus), by
 * libsecret, which is opened when it is first needed: nothing links it.
 *
 * A call may wait for a person, who types a password to open the keyring; a thread
 * ends that wait.  The bus is asked first, and must answer at once: a machine
 * without a desktop loses no time.
 */
#include "team/client/private.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	BUS_MS = 200,
	READ_MS = 5 * 1000,   /* nobody may be there */
	WRITE_MS = 60 * 1000, /* somebody signs in */
	SESSION_BUS = 2,      /* G_BUS_TYPE_SESSION */
	MAX_ATTRIBUTES = 32,
};

/* ---- libsecret's and GLib's, as their interface has been since the first version -- */

struct g_error {
	uint32_t domain;
	int code;
	char *message;
};

struct secret_schema {
	const char *name;
	int flags;
	struct {
		const char *name;
		int type; /* 0: text */
	} attributes[MAX_ATTRIBUTES];
	int reserved;
	void *more[7];
};

static const struct secret_schema schema = {
	.name = "dev.belay.Team",
	.attributes = { { "folder", 0 } },
};

/* NULL: the user's default keyring. */
typedef int store_fn(const struct secret_schema *schema, const char *keyring,
		     const char *label, const char *secret, void *cancellable,
		     struct g_error **error, ...);
typedef char *lookup_fn(const struct secret_schema *schema, void *cancellable,
			struct g_error **error, ...);
typedef int clear_fn(const struct secret_schema *schema, void *cancellable,
		     struct g_error **error, ...);

struct keyring {
	store_fn *store;
	lookup_fn *lookup;
	clear_fn *clear;
	void (*free_secret)(char *secret);
	void *(*bus_get)(int type, void *cancellable, struct g_error **error);
	void (*set_exit_on_close)(void *bus, int exits);
	void *(*cancellable_new)(void);
	void (*cancel)(void *cancellable);
	void (*unref)(void *object);
	void (*free_error)(struct g_error *error);
};

static const struct {
	const char *name;
	size_t at;
} functions[] = {
	{ "secret_password_store_sync", offsetof(struct keyring, store) },
	{ "secret_password_lookup_sync", offsetof(struct keyring, lookup) },
	{ "secret_password_clear_sync", offsetof(struct keyring, clear) },
	{ "secret_password_free", offsetof(struct keyring, free_secret) },
	{ "g_bus_get_sync", offsetof(struct keyring, bus_get) },
	{ "g_dbus_connection_set_exit_on_close",
	  offsetof(struct keyring, set_exit_on_close) },
	{ "g_cancellable_new", offsetof(struct keyring, cancellable_new) },
	{ "g_cancellable_cancel", offsetof(struct keyring, cancel) },
	{ "g_object_unref", offsetof(struct keyring, unref) },
	{ "g_error_free", offsetof(struct keyring, free_error) },
};

/* GLib starts threads and does not like to be unloaded: it stays. */
static bool load(struct keyring *out)
{
	void *library = dlopen("libsecret-1.so.0",
			       RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!library)
		return false;
	for (size_t i = 0; i < BL_COUNT(functions); i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function)
			return false;
		memcpy((char *)out + functions[i].at, &function,
		       sizeof(function));
	}
	return true;
}

/* ---- the end of a wait ---------------------------------------------------------- */

struct watch {
	const struct keyring *keyring;
	void *cancellable;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct timespec end;
	bool has_thread;
	bool is_done;
	bool is_late;
};

static void *wait_for_end(void *context)
{
	struct watch *watch = context;

	pthread_mutex_lock(&watch->lock);
	while (!watch->is_done && !watch->is_late)
		watch->is_late =
			pthread_cond_timedwait(&watch->changed, &watch->lock,
					       &watch->end) != 0;
	pthread_mutex_unlock(&watch->lock);
	if (watch->is_late)
		watch->keyring->cancel(watch->cancellable);
	return NULL;
}

static bool watch_begin(struct watch *watch, const struct keyring *keyring,
			int64_t ms)
{
	int64_t end = bl_os_wall_ms() + ms;

	*watch = (struct watch){ .keyring = keyring,
				 .cancellable = keyring->cancellable_new() };
	watch->end.tv_sec = (time_t)(end / 1000);
	watch->end.tv_nsec = (long)(end % 1000 * 1000000);
	pthread_mutex_init(&watch->lock, NULL);
	pthread_cond_init(&watch->changed, NULL);
	watch->has_thread =
		watch->cancellable &&
		!pthread_create(&watch->thread, NULL, wait_for_end, watch);
	return watch->has_thread;
}

static void watch_end(struct watch *watch)
{
	pthread_mutex_lock(&watch->lock);
	watch->is_done = true;
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->lock);
	if (watch->has_thread)
		pthread_join(watch->thread, NULL);
	if (watch->cancellable)
		watch->keyring->unref(watch->cancellable);
	pthread_cond_destroy(&watch->changed);
	pthread_mutex_destroy(&watch->lock);
}

/* ---- the bus -------------------------------------------------------------------- */

/* Without an address GLib would start a bus. */
static bool has_bus_address(void)
{
	struct bl_str run = bl_os_getenv("XDG_RUNTIME_DIR");
	struct bl_file_info info;
	struct bl_arena arena;
	struct bl_str path;
	bool is_there;

	if (bl_os_getenv("DBUS_SESSION_BUS_ADDRESS").len)
		return true;
	if (!run.len)
		return false;
	bl_arena_init(&arena, NULL, 0, 0);
	path = bl_path_join(&arena, run, BL_STR("bus"));
	is_there = path.ptr && !bl_os_info_path(path, &info, NULL);
	bl_arena_clear(&arena);
	return is_there;
}

static bool connect_bus(const struct keyring *keyring)
{
	struct g_error *error = NULL;
	struct watch watch;
	void *bus = NULL;

	if (watch_begin(&watch, keyring, BUS_MS))
		bus = keyring->bus_get(SESSION_BUS, watch.cancellable, &error);
	watch_end(&watch);
	if (error)
		keyring->free_error(error);
	if (!bus)
		return false;
	/* Else the end of the bus would be the end of the program. */
	keyring->set_exit_on_close(bus, 0);
	keyring->unref(bus);
	return true;
}

static bool open_keyring(struct keyring *out)
{
	return has_bus_address() && load(out) && connect_bus(out);
}

bool bl_team_has_keyring(void)
{
	struct keyring keyring;

	return open_keyring(&keyring);
}

/* ---- one call -------------------------------------------------------------------- */

struct keyring_call {
	struct keyring keyring;
	struct watch watch;
	struct g_error *error;
	char *folder; /* which token is meant */
};

static enum bl_status call_begin(struct keyring_call *call, int64_t ms,
				 const struct bl_team_place *place,
				 struct bl_error *err)
{
	*call = (struct keyring_call){ .error = NULL };
	if (!open_keyring(&call->keyring))
		return bl_fail(err, BL_DENIED,
			       "there is no desktop session with a keyring "
			       "here (libsecret, D-Bus)");
	call->folder = strndup(place->dir.ptr, place->dir.len);
	if (!call->folder)
		return bl_fail_memory(err);
	if (watch_begin(&call->watch, &call->keyring, ms))
		return BL_OK;
	watch_end(&call->watch);
	free(call->folder);
	return bl_fail(err, BL_SYSTEM, "there is no thread for the keyring");
}

/* done: did the keyring do it?  what: the sentence when it did not. */
static enum bl_status call_end(struct keyring_call *call, bool done,
			       const char *what, struct bl_error *err)
{
	enum bl_status status = BL_OK;
	const char *why = "it does not have one";

	watch_end(&call->watch);
	if (call->watch.is_late)
		why = "it did not answer, or was not unlocked, in time";
	else if (call->error)
		why = call->error->message;
	if (!done)
		status = bl_fail(err, call->error ? BL_DENIED : BL_NOT_FOUND,
				 "%s: %s", what, why);
	if (call->error)
		call->keyring.free_error(call->error);
	free(call->folder);
	return status;
}

enum bl_status team_keyring_store(const struct bl_team_place *place,
				  const char *token, struct bl_error *err)
{
	struct keyring_call call;
	enum bl_status status = call_begin(&call, WRITE_MS, place, err);
	bool done;

	if (status)
		return status;
	done = call.keyring.store(&schema, NULL, "belay: this machine's token",
				  token, call.watch.cancellable, &call.error,
				  "folder", call.folder, NULL);
	return call_end(&call, done, "the keyring does not take the token",
			err);
}

enum bl_status team_keyring_read(const struct bl_team_place *place,
				 struct bl_arena *arena, struct bl_str *out,
				 struct bl_error *err)
{
	struct keyring_call call;
	struct bl_str copy = { NULL, 0 };
	enum bl_status status = call_begin(&call, READ_MS, place, err);
	char *secret;

	if (status)
		return status;
	secret = call.keyring.lookup(&schema, call.watch.cancellable,
				     &call.error, "folder", call.folder, NULL);
	if (secret) {
		copy = bl_arena_copy_str(arena, bl_str(secret));
		call.keyring.free_secret(secret);
	}
	status =
		call_end(&call, secret != NULL,
			 "the keyring does not give this machine's token", err);
	if (!status && !copy.ptr)
		status = bl_arena_fail(arena, err);
	if (!status)
		*out = copy;
	return status;
}

enum bl_status team_keyring_clear(const struct bl_team_place *place,
				  struct bl_error *err)
{
	struct keyring_call call;
	enum bl_status status = call_begin(&call, READ_MS, place, err);
	bool done;

	if (status)
		return status;
	done = call.keyring.clear(&schema, call.watch.cancellable, &call.error,
				  "folder", call.folder, NULL);
	return call_end(&call, done,
			"the keyring still has this machine's token", err);
}
