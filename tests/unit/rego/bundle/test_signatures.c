/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures of bundles: what OPA signed (tests/unit/rego/bundle/signed) is accepted,
 * what was changed is not, and what we sign can be verified.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rego/bundle/private.h"
#include "json/json.h"
#include "os/os.h"
#include "tap.h"

#define SIGNED "tests/unit/rego/bundle/signed/"

static struct bl_arena arena;
static struct bl_error err;
static struct bl_bundle bundle;
static char root[] = "/tmp/belay-signed-XXXXXX";

static const struct {
	const char *algorithm;
	const char *private;
	const char *public;
	const char *other; /* a key that did not make it */
} rows[] = {
	{ "RS256", "rsa.pem", "rsa.pub", "ec.pub" },
	{ "RS384", "rsa.pem", "rsa.crt", "hmac.key" },
	{ "RS512", "rsa.pem", "rsa.pem", "ec.pub" },
	{ "PS256", "rsa.pem", "rsa.pub", "ec.pub" },
	{ "PS384", "rsa.pem", "rsa.pub", "ec.pub" },
	{ "PS512", "rsa.pem", "rsa.pub", "ec.pub" },
	{ "ES256", "ec.pem", "ec.pub", "ec384.pub" },
	{ "ES384", "ec384.pem", "ec384.pub", "rsa.pub" },
	{ "ES512", "ec521.pem", "ec521.pub", "ec.pub" },
	{ "HS256", "hmac.key", "hmac.key", "rsa.pub" },
	{ "HS384", "hmac.key", "hmac.key", "rsa.pub" },
	{ "HS512", "hmac.key", "hmac.key", "rsa.pub" },
};

static struct bl_str text_of(struct bl_str path)
{
	struct bl_str text = { 0 };

	CHECK_STATUS(
		bl_os_read_file(path, 0, 1 << 20, &arena, &text, NULL, &err),
		BL_OK);
	return text;
}

static struct bl_str fixture(const char *name)
{
	return bl_arena_printf(&arena, SIGNED "%s", name);
}

static enum bl_status read_with(struct bl_str path, const char *algorithm,
				const char *key)
{
	const struct bl_bundle_verification how = {
		.key = { bl_str(algorithm), text_of(fixture(key)) },
		.scope = BL_STR(""),
	};
	const struct bl_bundle_options options = { .verification = &how };

	return bl_bundle_read(&arena, path, &options, &bundle, &err);
}

static void opa_signed(void)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_str path = bl_arena_printf(&arena, SIGNED "%s.tar.gz",
						     rows[i].algorithm);

		CHECK_STATUS(read_with(path, rows[i].algorithm, rows[i].public),
			     BL_OK);
		CHECK_INT(bundle.module_count, 1);
		CHECK_STATUS(read_with(path, rows[i].algorithm, rows[i].other),
			     BL_INVALID);
		CHECK_STATUS(bl_bundle_read(&arena, path, NULL, &bundle, &err),
			     BL_INVALID);
		CHECK(bl_str_has_suffix(
			bl_str(err.message),
			BL_STR(": verification key not provided")));
	}
}

/* The algorithm is the one that was asked for, not the token's. */
static void other_algorithm(void)
{
	CHECK_STATUS(read_with(fixture("RS256.tar.gz"), "PS256", "rsa.pub"),
		     BL_INVALID);
	/* The public key as the secret of an HMAC: the oldest trick. */
	CHECK_STATUS(read_with(fixture("RS256.tar.gz"), "HS256", "rsa.pub"),
		     BL_INVALID);
	CHECK_STATUS(read_with(fixture("RS256.tar.gz"), "none", "rsa.pub"),
		     BL_INVALID);
	CHECK_STR(bl_str(err.message),
		  "bundle " SIGNED "RS256.tar.gz: unknown signature "
		  "algorithm: none");
}

/*
 * Data of YAML and JSON count by what they mean, as OPA digests it.  `opa sign`
 * signs the path that it was given, so the folder is read by that path: in a
 * directory where it leads here.
 */
static void opa_signed_folder(void)
{
	static const char *const folders[] = {
		"tests",
		"tests/unit",
		"tests/unit/bundle",
		"tests/unit/rego",
		"tests/unit/rego/bundle",
	};
	static const char *const links[] = {
		"tests/unit/bundle/signed",
		"tests/unit/rego/bundle/signed",
	};
	char *target = realpath(SIGNED, NULL);
	struct bl_str folder = BL_STR("tests/unit/bundle/signed/folder");
	struct bl_str slash = BL_STR("tests/unit/bundle/signed/folder/");
	char *before = getcwd(NULL, 0);

	REQUIRE(before && target && !chdir(root));
	for (size_t i = 0; i < BL_COUNT(folders); i++)
		REQUIRE(!mkdir(folders[i], 0755));
	for (size_t i = 0; i < BL_COUNT(links); i++)
		REQUIRE(!symlink(target, links[i]));
	CHECK_STATUS(read_with(folder, "RS256", "rsa.pub"), BL_OK);
	CHECK_STATUS(read_with(slash, "RS256", "rsa.pub"), BL_OK);
	CHECK_STATUS(read_with(folder, "RS256", "ec.pub"), BL_INVALID);
	/* By another path it is not what was signed. */
	CHECK_STATUS(read_with(fixture("folder"), "RS256", "rsa.pub"),
		     BL_INVALID);
	for (size_t i = 0; i < BL_COUNT(links); i++)
		unlink(links[i]);
	for (size_t i = BL_COUNT(folders); i > 0; i--)
		rmdir(folders[i - 1]);
	REQUIRE(!chdir(before));
	free(before);
	free(target);
}

static void scope(void)
{
	struct bl_bundle_verification how = {
		.key = { BL_STR("ES256"), text_of(fixture("ec.pub")) },
		.scope = BL_STR("write"),
	};
	const struct bl_bundle_options options = { .verification = &how };
	struct bl_str path = fixture("scope.tar.gz");

	CHECK_STATUS(bl_bundle_read(&arena, path, &options, &bundle, &err),
		     BL_OK);
	how.scope = BL_STR("");
	CHECK_STATUS(bl_bundle_read(&arena, path, &options, &bundle, &err),
		     BL_INVALID);
	CHECK_STR(bl_str(err.message),
		  "bundle " SIGNED "scope.tar.gz: scope mismatch");
}

static struct bl_str write_archive(const struct bl_bundle_file *files,
				   size_t count)
{
	struct bl_str path = bl_arena_printf(&arena, "%s/b.tar.gz", root);
	struct bl_buf out;

	bl_buf_init(&out, 0);
	CHECK_STATUS(bl_bundle_pack(files, count, &out, &err), BL_OK);
	CHECK_STATUS(bl_os_replace_file(path, bl_buf_str(&out), 0600, &err),
		     BL_OK);
	bl_buf_clear(&out);
	return path;
}

/* Changes to the files of RS256.tar.gz, and the message about each. */
static const struct tampering {
	const char *path;
	const char *text; /* NULL: the file is taken away */
	const char *says; /* behind "bundle PATH: " */
} tamperings[] = {
	{ "x/p.rego", "package x.p\nallow := true\n",
	  "x/p.rego: digest mismatch (want: " },
	{ "x/p.rego", NULL,
	  "file(s) [x/p.rego] specified in bundle signatures but not found in "
	  "the target bundle" },
	{ "data.json", "{\"admins\":[\"eve\"]}",
	  "data.json: digest mismatch (want: " },
	{ ".manifest", "{}", ".manifest: digest mismatch (want: " },
	{ "y.rego", "package y\n",
	  "file y.rego not included in bundle signature" },
	{ "README", "", "file README not included in bundle signature" },
	{ "a/.signatures.json", "{}",
	  "bundle contains multiple signatures files" },
	{ ".signatures.json", NULL, "bundle missing .signatures.json file" },
	{ ".signatures.json", "{}", "bundle missing .signatures.json file" },
	{ ".signatures.json", "[", "bundle load failed on signatures decode" },
	{ ".signatures.json", "{\"signatures\":[]}",
	  ".signatures.json: missing JWT (expected exactly one)" },
	{ ".signatures.json", "{\"signatures\":[\"a\",\"b\"]}",
	  ".signatures.json: multiple JWTs not supported (expected exactly "
	  "one)" },
	{ ".signatures.json", "{\"signatures\":[\"a\"],\"plugin\":\"p\"}",
	  "no verifier exists under id p" },
	{ ".signatures.json", "{\"signatures\":[\"a.b\"]}",
	  "encoded JWT must have 3 sections, found 2" },
	{ ".signatures.json", "{\"signatures\":[\"eyJhbGciOiJub25lIn0.e30.\"]}",
	  "failed to verify JWT signature: " },
};

static void tamper(const struct tampering *with)
{
	struct bl_bundle_files files = { 0 };
	struct bl_bundle_file all[16];
	struct bl_str path;
	size_t count = 0;
	size_t skip;

	CHECK_STATUS(bl_bundle_unpack(&arena, text_of(fixture("RS256.tar.gz")),
				      0, &files, &err),
		     BL_OK);
	for (size_t i = 0; i < files.count; i++)
		if (!bl_str_is(files.items[i].path, with->path))
			all[count++] = files.items[i];
	if (with->text)
		all[count++] =
			(struct bl_bundle_file){ .path = bl_str(with->path),
						 .text = bl_str(with->text) };
	path = write_archive(all, count);
	CHECK(read_with(path, "RS256", "rsa.pub") != BL_OK);
	skip = strlen("bundle : ") + path.len;
	if (!bl_str_has_prefix(
		    bl_str_slice(bl_str(err.message), skip, SIZE_MAX),
		    bl_str(with->says)))
		CHECK_STR(bl_str(err.message), with->says);
}

static void tampered(void)
{
	for (size_t i = 0; i < BL_COUNT(tamperings); i++)
		tamper(&tamperings[i]);
}

static void our_own(void)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_bundle_file files[] = {
			{ .path = BL_STR("data.json"),
			  .text = BL_STR("{ \"b\": 1.0,\n\"a\": \"<\" }") },
			{ .path = BL_STR("p.rego"),
			  .text = BL_STR("package p\n") },
			{ .path = BL_STR(".signatures.json") },
		};
		const struct bl_bundle_signing how = {
			.key = { bl_str(rows[i].algorithm),
				 text_of(fixture(rows[i].private)) },
			.key_id = BL_STR("default"),
		};
		struct bl_str path;

		REQUIRE(!bl_bundle_sign(&arena, files, 2, &how, &files[2].text,
					&err));
		path = write_archive(files, 3);
		CHECK_STATUS(read_with(path, rows[i].algorithm, rows[i].public),
			     BL_OK);
		CHECK_STATUS(read_with(path, rows[i].algorithm, rows[i].other),
			     BL_INVALID);
		/* White space and order are not part of data. */
		files[0].text = BL_STR("{\"a\":\"<\",\"b\":1.0}");
		path = write_archive(files, 3);
		CHECK_STATUS(read_with(path, rows[i].algorithm, rows[i].public),
			     BL_OK);
		files[0].text = BL_STR("{\"a\":\"<\",\"b\":1}");
		path = write_archive(files, 3);
		CHECK_STATUS(read_with(path, rows[i].algorithm, rows[i].public),
			     BL_INVALID);
	}
}

/* Digests of "package p\n", from coreutils and openssl. */
static void digests(void)
{
	static const char *const digests[][2] = {
		{ "MD5", "73f06e46b599567be5e873ddebe090ec" },
		{ "SHA-1", "8c1e11767021108ef6a0aaf36358ce9c60a5684a" },
		{ "SHA-224",
		  "f134a17b1fd37e56ae83fa7a2e3493778b5ca736bd6a0fb3a23318dd" },
		{ "SHA-384",
		  "d8396ed40b754ada0736ed9c994f576e08c2a5ad6f7be61f146bf218ec02"
		  "66ec9e3f5daf5d98f885c6c18fec4d7996eb" },
		{ "SHA-512", "2f7a3af3fe8d1b8055bea92d79ec99a6f8d2cbcdebd83b6f0"
			     "0780cf21379d19df81f197a7496eb419e1b7fc3f1154dfb07"
			     "41e10b0fb90d4d80a0a718a5cc9f7e" },
		{ "SHA-512-224",
		  "b43ea2d21cdee1250bf0a247ec293bcdebcd37a501bc92a18a8ef565" },
		{ "SHA-512-256", "52a9ca57458a0ed45be2c2540619205a770cb9ef212bf"
				 "1790034eddc4fc6152a" },
	};
	struct bl_buf hex;

	for (size_t i = 0; i < BL_COUNT(digests); i++) {
		bl_buf_init(&hex, 0);
		CHECK_STATUS(bl_rego_digest(bl_str(digests[i][0]),
					    BL_STR("package p\n"), &hex, &err),
			     BL_OK);
		CHECK_STR(bl_buf_str(&hex), digests[i][1]);
		bl_buf_clear(&hex);
	}
	bl_buf_init(&hex, 0);
	CHECK_STATUS(bl_rego_digest(BL_STR("CRC"), BL_STR(""), &hex, &err),
		     BL_UNSUPPORTED);
	CHECK_STR(bl_str(err.message), "unsupported hashing algorithm: CRC");
}

static void bad_keys(void)
{
	static const struct {
		const char *algorithm;
		const char *key;
		const char *says;
	} keys[] = {
		{ "XX", "", "unknown signature algorithm: XX" },
		{ "RS256", "text",
		  "failed to parse PEM block containing the key" },
		{ "RS256",
		  "-----BEGIN DH PARAMETERS-----\nAAAA\n"
		  "-----END DH PARAMETERS-----\n",
		  "no key of a known type: DH PARAMETERS" },
		{ "RS256",
		  "-----BEGIN PRIVATE KEY-----\nAAAA\n"
		  "-----END PRIVATE KEY-----\n",
		  "no key of a known type: PRIVATE KEY" },
	};
	struct bl_str text;

	for (size_t i = 0; i < BL_COUNT(keys); i++) {
		const struct bl_bundle_signing how = {
			.key = { bl_str(keys[i].algorithm),
				 bl_str(keys[i].key) },
		};

		CHECK_STATUS(bl_bundle_sign(&arena, NULL, 0, &how, &text, &err),
			     BL_INVALID);
		CHECK_STR(bl_str(err.message), keys[i].says);
	}
}

/* A public key signs nothing. */
static void public_key(void)
{
	struct bl_bundle_signing how = {
		.key = { BL_STR("RS256"), text_of(fixture("rsa.pub")) }
	};
	struct bl_str text;

	CHECK_STATUS(bl_bundle_sign(&arena, NULL, 0, &how, &text, &err),
		     BL_INVALID);
	CHECK_STR(bl_str(err.message),
		  "failed to sign: the key has no private part");
	how.key.algorithm = BL_STR("ES256");
	CHECK_STATUS(bl_bundle_sign(&arena, NULL, 0, &how, &text, &err),
		     BL_INVALID);
	CHECK_STR(bl_str(err.message),
		  "the key is not of the type that ES256 needs");
}

static void excluded_and_ignored(void)
{
	const struct bl_str patterns[] = { BL_STR("x/*") };
	const struct bl_str names[] = { BL_STR("p.*") };
	struct bl_bundle_verification how = {
		.key = { BL_STR("RS256"), text_of(fixture("rsa.pub")) },
		.scope = BL_STR(""),
		.excluded = patterns,
		.excluded_count = 1,
	};
	struct bl_bundle_options options = { .verification = &how };
	const struct tampering change = { "x/p.rego", "package x.p\n",
					  "x/p.rego: digest mismatch" };
	struct bl_str path = bl_arena_printf(&arena, "%s/b.tar.gz", root);

	tamper(&change);
	CHECK_STATUS(bl_bundle_read(&arena, path, &options, &bundle, &err),
		     BL_OK);
	options = (struct bl_bundle_options){ .skip_verify = true,
					      .ignored = names,
					      .ignored_count = 1 };
	CHECK_STATUS(bl_bundle_read(&arena, path, &options, &bundle, &err),
		     BL_OK);
	CHECK_INT(bundle.module_count, 0);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	if (!mkdtemp(root))
		return 1;
	RUN(opa_signed);
	RUN(other_algorithm);
	RUN(opa_signed_folder);
	RUN(scope);
	RUN(tampered);
	RUN(our_own);
	RUN(digests);
	RUN(bad_keys);
	RUN(public_key);
	RUN(excluded_and_ignored);
	unlink(bl_arena_printf(&arena, "%s/b.tar.gz", root).ptr);
	rmdir(root);
	bl_arena_clear(&arena);
	return tap_end();
}
