/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.c: sync after sync, with the delays of the configuration: for a service
 * that runs as long as the machine does.
 */
#include "opa/private.h"

enum { STEP_MS = 250, SECOND_MS = 1000 };

static bool is_over(const struct bl_opa_client *client)
{
	return client->is_over && client->is_over(client->of);
}

static void wait_ms(const struct bl_opa_client *client, int64_t ms)
{
	int64_t end = bl_os_monotonic_ns() / 1000000 + ms;

	while (!is_over(client)) {
		int64_t left = end - bl_os_monotonic_ns() / 1000000;

		if (left <= 0)
			return;
		bl_os_wait_readable(
			-1, (uint32_t)(left < STEP_MS ? left : STEP_MS));
	}
}

/* A random time between the configuration's shortest and longest. */
static int64_t delay_ms(const struct bl_opa_config *config)
{
	int64_t least = config->min_delay_s * SECOND_MS;
	int64_t more = config->max_delay_s * SECOND_MS - least;
	uint32_t chance = 0;

	if (bl_os_random(&chance, sizeof(chance), NULL))
		return least + more;
	return least + (int64_t)((uint64_t)more * chance / UINT32_MAX);
}

static int64_t next_ms(const struct bl_opa_config *config,
		       const struct bl_opa_state *state, int64_t took_ms)
{
	bool has_waited =
		state->state == BL_TEAM_CURRENT || took_ms >= SECOND_MS;
	int64_t now = bl_os_wall_ms() / 1000;

	if (state->failures)
		return state->next_try > now
			       ? (state->next_try - now) * SECOND_MS
			       : SECOND_MS;
	/* The server itself waits until there is something new. */
	if (state->is_long_poll && config->long_poll_s && has_waited)
		return 0;
	return delay_ms(config);
}

struct follower {
	struct bl_opa_client *client;
	const struct bl_opa_config *config;
	bl_opa_told_fn *told;
	struct bl_arena *arena; /* of the client's id */
	int64_t wait_ms;
	bool is_left;
	struct bl_error *err;
};

/* The state that is followed keeps its id; after a leave another one begins. */
static enum bl_status note_id(const struct follower *follower,
			      const struct bl_opa_state *state)
{
	struct bl_opa_client *client = follower->client;

	if (client->id.len || !state->tried)
		return BL_OK;
	client->id = bl_arena_copy_str(follower->arena, state->id);
	return client->id.ptr ? BL_OK
			      : bl_arena_fail(follower->arena, follower->err);
}

/* Does following go on after this sync? */
static enum bl_status judge(struct follower *follower,
			    const struct bl_opa_state *state,
			    enum bl_status status, int64_t took_ms)
{
	follower->is_left = state->was_left;
	follower->wait_ms = SECOND_MS;
	if (state->was_left)
		return BL_OK;
	if (!status)
		follower->wait_ms = next_ms(follower->config, state, took_ms);
	/* TIMEOUT: another process held the lock. */
	return status && status != BL_TIMEOUT ? status
					      : note_id(follower, state);
}

/* One sync with memory of its own, since more will come. */
static enum bl_status once(struct follower *follower)
{
	struct bl_opa_client *client = follower->client;
	struct bl_opa_state state = { .state = BL_TEAM_LOGGED_OUT };
	struct bl_arena arena;
	struct bl_error waiting;
	int64_t start = bl_os_monotonic_ns();
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	client->context = &arena;
	status = bl_opa_sync(client, follower->config, &arena, &state, &waiting,
			     follower->err);
	if (!status && !is_over(client))
		follower->told(client->of, &state, &waiting);
	status = judge(follower, &state, status,
		       (bl_os_monotonic_ns() - start) / 1000000);
	bl_arena_clear(&arena);
	client->context = NULL;
	return status;
}

enum bl_status bl_opa_follow(struct bl_opa_client *client, bl_opa_told_fn *told,
			     struct bl_error *err)
{
	struct bl_arena arena;
	struct bl_opa_config config;
	struct follower follower = { .client = client,
				     .config = &config,
				     .told = told,
				     .arena = &arena,
				     .err = err };
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	client->is_following = true;
	status = bl_opa_read_config(&client->place, &arena, &config, err);
	while (!status && !follower.is_left && !is_over(client)) {
		status = once(&follower);
		if (!status && !follower.is_left)
			wait_ms(client, follower.wait_ms);
	}
	client->id = (struct bl_str){ NULL, 0 };
	bl_arena_clear(&arena);
	return status;
}
