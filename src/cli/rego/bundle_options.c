/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options about bundles and their signatures, the same for all commands that read
 * or write them.
 */
#include "cli/rego/bundle_options.h"

#include "cli/rego/files.h"
#include "os/os.h"

enum { MAX_KEY_BYTES = 1 << 20, MAX_CLAIMS_BYTES = 1 << 20 };

/* The content of the file of that name, else the text itself, as opa does. */
static enum bl_status read_key(struct cli *cli, struct bl_str given,
			       struct bl_str *out_key, struct bl_error *err)
{
	struct bl_file_info info;
	enum bl_status status;

	*out_key = given;
	if (!given.len || bl_str_has_prefix(given, BL_STR("-----BEGIN")) ||
	    bl_os_info_path(given, &info, NULL))
		return BL_OK;
	status = bl_os_read_file(given, 0, MAX_KEY_BYTES, &cli->arena, out_key,
				 NULL, err);
	if (status)
		bl_error_context(err, "%.*s", BL_STR_ARG(given));
	return status;
}

static struct bl_str algorithm_of(const struct cli *cli, size_t option)
{
	return cli_has(cli, option) ? cli_value(cli, option) : BL_STR("RS256");
}

/* "a,b" is two, as opa has it. */
static enum bl_status split_list(struct cli *cli, size_t option,
				 const struct bl_str **out_items,
				 size_t *out_count, struct bl_error *err)
{
	const struct cli_given *given = &cli->given[option];
	struct bl_str *items;
	size_t count = 0;

	for (size_t i = 0; i < given->count; i++)
		count += given->values[i].len;
	items = bl_arena_new_array(&cli->arena, struct bl_str, count + 1);
	if (!items)
		return bl_arena_fail(&cli->arena, err);
	count = 0;
	for (size_t i = 0; i < given->count; i++) {
		size_t at = 0;

		while (at <= given->values[i].len) {
			size_t comma =
				bl_str_find(given->values[i], BL_STR(","), at);
			struct bl_str one =
				bl_str_slice(given->values[i], at, comma);

			if (one.len)
				items[count++] = one;
			at = comma == SIZE_MAX ? comma : comma + 1;
			if (comma == SIZE_MAX)
				break;
		}
	}
	*out_items = items;
	*out_count = count;
	return BL_OK;
}

static enum bl_status take_verification(struct cli *cli, size_t first,
					struct bl_bundle_options *options,
					struct bl_error *err)
{
	struct bl_bundle_verification *how =
		bl_arena_new(&cli->arena, struct bl_bundle_verification);
	struct bl_str scope = cli_value(cli, first + CLI_BUNDLE_SCOPE);
	enum bl_status status;

	if (!how)
		return bl_arena_fail(&cli->arena, err);
	how->key.algorithm = algorithm_of(cli, first + CLI_BUNDLE_SIGNING_ALG);
	how->scope = scope.ptr ? scope : BL_STR("");
	status = read_key(cli,
			  cli_value(cli, first + CLI_BUNDLE_VERIFICATION_KEY),
			  &how->key.text, err);
	if (!status)
		status = split_list(cli, first + CLI_BUNDLE_EXCLUDE,
				    &how->excluded, &how->excluded_count, err);
	options->verification = how;
	return status;
}

enum bl_status cli_bundle_options(struct cli *cli, size_t first,
				  bool has_bundles,
				  struct bl_bundle_options *out_options,
				  struct bl_error *err)
{
	bool has_key = cli_has(cli, first + CLI_BUNDLE_VERIFICATION_KEY);
	enum bl_status status;

	*out_options = (struct bl_bundle_options){
		.skip_verify = cli_has(cli, first + CLI_BUNDLE_SKIP_VERIFY),
		.v0 = cli_has(cli, first + CLI_BUNDLE_V0),
	};
	if (has_key && !has_bundles)
		return bl_fail(err, BL_USAGE,
			       "only bundles have signatures to verify: give "
			       "them with --bundle");
	if (has_key && out_options->skip_verify)
		return bl_fail(err, BL_USAGE,
			       "--verification-key and --skip-verify do not go "
			       "together");
	status = split_list(cli, first + CLI_BUNDLE_IGNORE,
			    &out_options->ignored, &out_options->ignored_count,
			    err);
	return status || !has_key
		       ? status
		       : take_verification(cli, first, out_options, err);
}

/* A file of more claims. */
static enum bl_status read_claims(struct cli *cli, struct bl_str path,
				  struct bl_value *out_claims,
				  struct bl_error *err)
{
	struct bl_str text;
	enum bl_status status = bl_os_read_file(path, 0, MAX_CLAIMS_BYTES,
						&cli->arena, &text, NULL, err);

	if (status) {
		bl_error_context(err, "%.*s", BL_STR_ARG(path));
		return status;
	}
	status = cli_parse_data(cli, path, text, out_claims, err);
	if (!status && !bl_value_is(*out_claims, BL_KIND_OBJECT))
		status = bl_fail(err, BL_INVALID,
				 "%.*s: claims must be an object",
				 BL_STR_ARG(path));
	return status;
}

enum bl_status cli_bundle_signing(struct cli *cli,
				  const struct cli_signing_rows *rows,
				  struct bl_bundle_signing *out_signing,
				  struct bl_error *err)
{
	struct bl_str claims = cli_value(cli, rows->claims_file);
	enum bl_status status = BL_OK;

	*out_signing = (struct bl_bundle_signing){
		.key.algorithm = algorithm_of(cli, rows->algorithm),
	};
	if (claims.ptr && !cli_has(cli, rows->key))
		return bl_fail(err, BL_USAGE,
			       "--claims-file is of no use without "
			       "--signing-key");
	if (cli_has(cli, rows->key))
		status = read_key(cli, cli_value(cli, rows->key),
				  &out_signing->key.text, err);
	return status || !claims.ptr
		       ? status
		       : read_claims(cli, claims, &out_signing->claims, err);
}
