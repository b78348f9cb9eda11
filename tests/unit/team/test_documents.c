/* SPDX-License-Identifier: Apache-2.0 */
/*
 * src/team/root.c, manifest.c, fresh.c, envelope.c: documents as
 * docs/formats/team.md has them, and what an attacker would make of them.
 */
#include "team/team.h"

#include "tap.h"

enum { KEYS = 4 };

static struct bl_arena arena;
static struct bl_error err;
static struct bl_ed25519_secret secrets[KEYS];
static struct bl_ed25519_public keys[KEYS];

/* Keys with seeds 1, 2, ...: the same in every run. */
static void make_keys(void)
{
	for (size_t i = 0; i < KEYS; i++) {
		memset(secrets[i].bytes, (int)i + 1, sizeof(secrets[i].bytes));
		CHECK_STATUS(bl_ed25519_public_of(&secrets[i], &keys[i], &err),
			     BL_OK);
	}
}

static struct bl_team_role role_of(size_t count, size_t threshold)
{
	struct bl_team_role role = { .key_count = count,
				     .threshold = threshold };

	memcpy(role.keys, keys, count * sizeof(keys[0]));
	return role;
}

static struct bl_team_root a_root(void)
{
	return (struct bl_team_root){
		.team_id = BL_STR("acme"),
		.root_version = 1,
		.expires = 2000000000,
		.roles = { role_of(2, 2), role_of(2, 1), role_of(1, 1) },
	};
}

#define DIGEST_A                                                               \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"                                     \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DIGEST_B                                                               \
	"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"                                     \
	"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static enum bl_status verify(enum bl_team_document kind,
			     const struct bl_buf *text,
			     const struct bl_team_role *role,
			     enum bl_team_state *out_state)
{
	*out_state = BL_TEAM_CURRENT;
	return bl_team_verify(kind, bl_buf_str(text), role, out_state, &err);
}

static void write_fresh(struct bl_buf *out)
{
	struct bl_team_choice choice = { .version = 7,
					 .sha256 = DIGEST_A,
					 .share = BL_TEAM_SHARES };
	struct bl_team_fresh fresh = { .team_id = BL_STR("acme"),
				       .root_version = 1,
				       .issued = 1000,
				       .expires = 2000,
				       .choices = &choice,
				       .choice_count = 1 };

	bl_buf_init(out, 0);
	CHECK_STATUS(bl_team_write_fresh(&fresh, out, &err), BL_OK);
}

static void a_root_both_ways(void)
{
	struct bl_team_root root = a_root(), again;
	char id[BL_SHA256_HEX_BYTES];
	struct bl_buf out;

	bl_buf_init(&out, 0);
	REQUIRE(!bl_team_write_root(&root, &out, &err));
	CHECK(bl_str_has_prefix(bl_buf_str(&out),
				BL_STR("{\"expires\":2000000000,\"keys\":{")));
	CHECK(bl_str_has_suffix(bl_buf_str(&out),
				BL_STR(",\"root_version\":1,\"spec\":1,"
				       "\"team_id\":\"acme\","
				       "\"type\":\"belay-root\"}\n")));
	bl_team_key_id(&keys[0], id);
	CHECK(bl_str_find(bl_buf_str(&out), bl_str(id), 0) != SIZE_MAX);
	REQUIRE(!bl_team_read_root(bl_buf_str(&out), &arena, &again, &err));
	CHECK_STR(again.team_id, "acme");
	CHECK_INT(again.roles[BL_TEAM_ROLE_ROOT].key_count, 2);
	CHECK_INT(again.roles[BL_TEAM_ROLE_ROOT].threshold, 2);
	CHECK(!memcmp(again.roles[BL_TEAM_ROLE_FRESH].keys[0].bytes,
		      keys[0].bytes, 32));
	bl_buf_clear(&out);
}

/* Threshold: keys count, not signatures and not ids. */
static void keys_are_counted(void)
{
	struct bl_team_role two = role_of(2, 2), same = role_of(2, 2);
	enum bl_team_state state;
	struct bl_buf out;

	write_fresh(&out);
	CHECK_STATUS(verify(BL_TEAM_FRESH, &out, &two, &state), BL_DENIED);
	CHECK_INT(state, BL_TEAM_WRONG_KEY);
	CHECK_STATUS(bl_team_sign(BL_TEAM_FRESH, &secrets[0], &out, &err),
		     BL_OK);
	CHECK_STATUS(bl_team_sign(BL_TEAM_FRESH, &secrets[0], &out, &err),
		     BL_EXISTS);
	CHECK_STATUS(verify(BL_TEAM_FRESH, &out, &two, &state), BL_DENIED);
	CHECK_INT(state, BL_TEAM_WRONG_KEY);
	/* the same key twice in the role */
	same.keys[1] = same.keys[0];
	CHECK_STATUS(verify(BL_TEAM_FRESH, &out, &same, &state), BL_DENIED);
	/* its line twice in the document */
	{
		struct bl_str text = bl_buf_str(&out);
		size_t end = bl_str_find(text, BL_STR("\n"), 0) + 1;
		struct bl_buf doubled;

		bl_buf_init(&doubled, 0);
		bl_buf_put_str(&doubled, text);
		bl_buf_put_str(&doubled, bl_str_slice(text, end, SIZE_MAX));
		CHECK_STATUS(verify(BL_TEAM_FRESH, &doubled, &two, &state),
			     BL_DENIED);
		bl_buf_clear(&doubled);
	}
	/* a stranger's signature does not count */
	CHECK_STATUS(bl_team_sign(BL_TEAM_FRESH, &secrets[3], &out, &err),
		     BL_OK);
	CHECK_STATUS(verify(BL_TEAM_FRESH, &out, &two, &state), BL_DENIED);
	CHECK_INT(state, BL_TEAM_WRONG_KEY);
	CHECK_STATUS(bl_team_sign(BL_TEAM_FRESH, &secrets[1], &out, &err),
		     BL_OK);
	CHECK_STATUS(verify(BL_TEAM_FRESH, &out, &two, &state), BL_OK);
	bl_buf_clear(&out);
}

/* Threshold 0 and no keys: nobody signed, so it is not signed. */
static void nobody_is_not_enough(void)
{
	struct bl_team_role none = { .key_count = 0 };
	enum bl_team_state state;
	struct bl_buf out;

	write_fresh(&out);
	CHECK_STATUS(verify(BL_TEAM_FRESH, &out, &none, &state), BL_DENIED);
	bl_buf_clear(&out);
}

static void changed_bytes_are_seen(void)
{
	struct bl_team_role one = role_of(1, 1);
	enum bl_team_state state;
	struct bl_buf out;
	size_t line;

	write_fresh(&out);
	CHECK_STATUS(bl_team_sign(BL_TEAM_FRESH, &secrets[0], &out, &err),
		     BL_OK);
	line = bl_str_find(bl_buf_str(&out), BL_STR("\n"), 0);
	for (size_t i = 0; i < line; i++) {
		out.ptr[i] ^= 1;
		CHECK(verify(BL_TEAM_FRESH, &out, &one, &state) != BL_OK);
		CHECK_INT(state, BL_TEAM_SIGNATURE_INVALID);
		out.ptr[i] ^= 1;
	}
	for (size_t i = line; i < out.len; i++) {
		out.ptr[i] ^= 1;
		CHECK(verify(BL_TEAM_FRESH, &out, &one, &state) != BL_OK);
		out.ptr[i] ^= 1;
	}
	CHECK_STATUS(verify(BL_TEAM_FRESH, &out, &one, &state), BL_OK);
	bl_buf_clear(&out);
}

/* A signature of one kind does not fit another: the prefix is signed, too. */
static void kinds_are_apart(void)
{
	struct bl_team_role one = role_of(1, 1);
	enum bl_team_state state;
	struct bl_buf out;

	write_fresh(&out);
	CHECK_STATUS(bl_team_sign(BL_TEAM_FRESH, &secrets[0], &out, &err),
		     BL_OK);
	CHECK_STATUS(verify(BL_TEAM_MANIFEST, &out, &one, &state), BL_DENIED);
	CHECK_INT(state, BL_TEAM_SIGNATURE_INVALID);
	bl_buf_clear(&out);
}

static void endless_documents(void)
{
	struct bl_team_role one = role_of(1, 1);
	enum bl_team_state state;
	struct bl_buf out;

	bl_buf_init(&out, 0);
	for (int i = 0; i < BL_TEAM_MAX_FRESH_BYTES; i++)
		bl_buf_put_char(&out, ' ');
	bl_buf_put_char(&out, '\n');
	CHECK_STATUS(verify(BL_TEAM_FRESH, &out, &one, &state), BL_LIMIT);
	bl_buf_clear(&out);
}

/* Faults that root.c finds in a document that is signed well. */
static void roots_that_are_refused(void)
{
	static const struct {
		const char *from, *to;
		const char *message;
	} cases[] = {
		{ "\"spec\":1", "\"spec\":2", "knows form 1" },
		{ "\"belay-root\"", "\"belay-fresh\"", "its type is" },
		{ "\"team_id\":\"acme\"", "\"team_id\":\"../x\"", "team_id" },
		{ "\"root_version\":1", "\"root_version\":0", "root_version" },
		{ "\"root_version\":1", "\"root_version\":9007199254740993",
		  "root_version" },
		{ "\"root_version\":1", "\"root_version\":1.0", "canonical" },
		{ "{\"expires\"", "{ \"expires\"", "canonical" },
		{ "\"threshold\":2", "\"threshold\":3", "more than its keys" },
		{ "\"threshold\":2", "\"threshold\":0", "threshold" },
		{ "\"acme\"", "\"\\u0061cme\"", "canonical" },
		{ "\"type\"", "\"type\":\"belay-root\",\"type\"", "canonical" },
	};

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		struct bl_team_root root = a_root(), again;
		struct bl_buf out, changed;
		size_t at;

		bl_buf_init(&out, 0);
		bl_buf_init(&changed, 0);
		REQUIRE(!bl_team_write_root(&root, &out, &err));
		at = bl_str_find(bl_buf_str(&out), bl_str(cases[i].from), 0);
		REQUIRE(at != SIZE_MAX);
		bl_buf_put(&changed, out.ptr, at);
		bl_buf_puts(&changed, cases[i].to);
		bl_buf_puts(&changed, out.ptr + at + strlen(cases[i].from));
		if (!bl_team_read_root(bl_buf_str(&changed), &arena, &again,
				       &err) ||
		    !strstr(err.message, cases[i].message)) {
			tap_failures++;
			TAP_NOTE("%s: %s", cases[i].to, err.message);
		}
		bl_buf_clear(&out);
		bl_buf_clear(&changed);
	}
}

/* One key under two ids: an id is what the key's bytes say. */
static void ids_are_computed(void)
{
	struct bl_team_root root = a_root(), again;
	char id[BL_SHA256_HEX_BYTES];
	struct bl_buf out;
	size_t at = 0;

	bl_buf_init(&out, 0);
	REQUIRE(!bl_team_write_root(&root, &out, &err));
	bl_team_key_id(&keys[1], id);
	for (;;) {
		at = bl_str_find(bl_buf_str(&out), bl_str(id), at);
		if (at == SIZE_MAX)
			break;
		out.ptr[at] = out.ptr[at] == 'f' ? 'e' : 'f';
		at++;
	}
	CHECK(bl_team_read_root(bl_buf_str(&out), &arena, &again, &err) !=
	      BL_OK);
	bl_buf_clear(&out);
}

static void weak_roots_are_not_written(void)
{
	struct bl_team_root root = a_root();
	struct bl_buf out;

	bl_buf_init(&out, 0);
	memset(root.roles[BL_TEAM_ROLE_FRESH].keys[0].bytes, 0, 32);
	CHECK_STATUS(bl_team_write_root(&root, &out, &err), BL_INVALID);
	CHECK(strstr(err.message, "small order"));
	root = a_root();
	root.roles[BL_TEAM_ROLE_ROOT].threshold = 1;
	root.roles[BL_TEAM_ROLE_SET].threshold = 2;
	CHECK_STATUS(bl_team_write_root(&root, &out, &err), BL_INVALID);
	root = a_root();
	root.roles[BL_TEAM_ROLE_ROOT].keys[1] =
		root.roles[BL_TEAM_ROLE_ROOT].keys[0];
	CHECK_STATUS(bl_team_write_root(&root, &out, &err), BL_INVALID);
	CHECK_INT(out.len, 0);
	bl_buf_clear(&out);
}

static void paths_of_a_set(void)
{
	static const char *const good[] = {
		"hooks.pb",
		"policies/rulebook.yml",
		"policies/a/b-c_d.rego",
		"a..b",
	};
	static const char *const bad[] = {
		"",     "/x", "x/",   "a//b", "../x", "a/../b",   ".x",
		"a/.x", "-x", "a\\b", "a b",  "a:b",  "\xc3\xa4", "~",
	};

	for (size_t i = 0; i < BL_COUNT(good); i++)
		CHECK(bl_team_path_is_good(bl_str(good[i])));
	for (size_t i = 0; i < BL_COUNT(bad); i++)
		CHECK(!bl_team_path_is_good(bl_str(bad[i])));
}

static enum bl_status write_manifest(const char *first, const char *second,
				     int64_t bytes)
{
	struct bl_team_file files[] = {
		{ bl_str(first), bytes, DIGEST_A },
		{ bl_str(second), bytes, DIGEST_B },
	};
	struct bl_team_manifest manifest = {
		.team_id = BL_STR("acme"),
		.version = 7,
		.floor = 7,
		.created = 1000,
		.expires = 2000,
		.min_client = BL_STR("0.1.0"),
		.files = files,
		.file_count = 2,
	};
	struct bl_team_manifest again;
	struct bl_buf out;
	enum bl_status status;

	bl_buf_init(&out, 0);
	status = bl_team_write_manifest(&manifest, &out, &err);
	if (!status) {
		CHECK_STATUS(bl_team_read_manifest(bl_buf_str(&out), &arena,
						   &again, &err),
			     BL_OK);
		CHECK_INT(again.file_count, 2);
		CHECK_STR(again.files[1].path, second);
		CHECK(!strcmp(again.files[1].sha256, DIGEST_B));
		CHECK(bl_team_find_file(&again, bl_str(first)) != NULL);
		CHECK(bl_team_find_file(&again, BL_STR("other")) == NULL);
	}
	bl_buf_clear(&out);
	return status;
}

static void files_of_a_set(void)
{
	CHECK_STATUS(write_manifest("hooks.pb", "policies/a.rego", 10), BL_OK);
	CHECK_STATUS(write_manifest("policies/a.rego", "hooks.pb", 10),
		     BL_INVALID);
	CHECK_STATUS(write_manifest("hooks.pb", "hooks.pb", 10), BL_INVALID);
	CHECK_STATUS(write_manifest("hooks.pb", "policies/../a", 10),
		     BL_INVALID);
	CHECK_STATUS(write_manifest("hooks.pb", "other/a", 10), BL_INVALID);
	CHECK_STATUS(write_manifest("policies/a", "policies/a/b", 10),
		     BL_INVALID);
	CHECK_STATUS(write_manifest("policies/A", "policies/a", 10),
		     BL_INVALID);
	CHECK_STATUS(write_manifest("hooks.pb", "policies/a", -1), BL_INVALID);
	CHECK_STATUS(write_manifest("hooks.pb", "policies/a",
				    BL_TEAM_MAX_FILE_BYTES + 1),
		     BL_LIMIT);
}

static void machines_choose(void)
{
	struct bl_team_choice choices[] = {
		{ .version = 8, .sha256 = DIGEST_A, .share = 2500 },
		{ .version = 9,
		  .sha256 = DIGEST_B,
		  .share = BL_TEAM_SHARES,
		  .label = BL_STR("canary") },
		{ .version = 7, .sha256 = DIGEST_B, .share = BL_TEAM_SHARES },
	};
	struct bl_team_fresh fresh = { .choices = choices, .choice_count = 3 };
	const struct bl_str label = BL_STR("canary");
	size_t eights = 0;

	for (int i = 0; i < 4000; i++) {
		char name[16];
		const struct bl_team_choice *plain, *labelled;

		snprintf(name, sizeof(name), "m%d", i);
		plain = bl_team_choose(&fresh, bl_str(name), NULL, 0);
		labelled = bl_team_choose(&fresh, bl_str(name), &label, 1);
		CHECK(plain == bl_team_choose(&fresh, bl_str(name), NULL, 0));
		CHECK(plain->version == 8 ? labelled->version == 8
					  : labelled->version == 9);
		eights += plain->version == 8;
	}
	/* 1,000 expected; six standard deviations are 164 */
	CHECK(eights > 836 && eights < 1164);
	choices[0].share = 0;
	CHECK_INT(bl_team_choose(&fresh, BL_STR("m"), NULL, 0)->version, 7);
}

static void statements_that_are_refused(void)
{
	struct bl_team_choice choice = { .version = 7,
					 .sha256 = DIGEST_A,
					 .share = 5000 };
	struct bl_team_fresh fresh = { .team_id = BL_STR("acme"),
				       .root_version = 1,
				       .choices = &choice,
				       .choice_count = 1 };
	struct bl_buf out;

	bl_buf_init(&out, 0);
	CHECK_STATUS(bl_team_write_fresh(&fresh, &out, &err), BL_INVALID);
	choice.share = BL_TEAM_SHARES;
	choice.label = BL_STR("some");
	CHECK_STATUS(bl_team_write_fresh(&fresh, &out, &err), BL_INVALID);
	choice.label = BL_STR("");
	fresh.choice_count = 0;
	CHECK_STATUS(bl_team_write_fresh(&fresh, &out, &err), BL_INVALID);
	fresh.choice_count = 1;
	fresh.audit = BL_STR("short");
	CHECK_STATUS(bl_team_write_fresh(&fresh, &out, &err), BL_INVALID);
	fresh.audit = BL_STR(DIGEST_B);
	CHECK_STATUS(bl_team_write_fresh(&fresh, &out, &err), BL_OK);
	bl_buf_clear(&out);
}

static void states_have_names(void)
{
	enum bl_team_state state;

	for (int i = 0; i < BL_TEAM_STATE_COUNT; i++) {
		REQUIRE(bl_team_state_find(
			bl_str(bl_team_state_name((enum bl_team_state)i)),
			&state));
		CHECK_INT(state, i);
	}
	CHECK(!bl_team_state_find(BL_STR("fine"), &state));
	CHECK_INT(bl_team_state_in_force(BL_TEAM_ROLLED_BACK),
		  BL_TEAM_LAST_GOOD);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	make_keys();
	RUN(a_root_both_ways);
	RUN(keys_are_counted);
	RUN(nobody_is_not_enough);
	RUN(changed_bytes_are_seen);
	RUN(kinds_are_apart);
	RUN(endless_documents);
	RUN(roots_that_are_refused);
	RUN(ids_are_computed);
	RUN(weak_roots_are_not_written);
	RUN(paths_of_a_set);
	RUN(files_of_a_set);
	RUN(machines_choose);
	RUN(statements_that_are_refused);
	RUN(states_have_names);
	bl_arena_clear(&arena);
	return tap_end();
}
