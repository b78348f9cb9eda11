/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_options.h: the options about reading policies and bundles. */
#ifndef BELAY_CLI_REGO_BUNDLE_OPTIONS_H
#define BELAY_CLI_REGO_BUNDLE_OPTIONS_H

#include "rego/bundle/bundle.h"
#include "cli/cli.h"

/* Reading bundles; in a table they are together, from a first index on. */
enum {
	CLI_BUNDLE_VERIFICATION_KEY,
	CLI_BUNDLE_VERIFICATION_KEY_ID,
	CLI_BUNDLE_SIGNING_ALG,
	CLI_BUNDLE_SCOPE,
	CLI_BUNDLE_EXCLUDE,
	CLI_BUNDLE_SKIP_VERIFY,
	CLI_BUNDLE_IGNORE,
	CLI_BUNDLE_V0,
	CLI_BUNDLE_OPTION_COUNT
};

#define CLI_V0_ROW                                                             \
	{                                                                      \
		"v0-compatible", 0, CLI_FLAG, NULL,                            \
			"read policies by the rules before Rego v1"            \
	}
#define CLI_STRICT_ROW                                                         \
	{                                                                      \
		"strict", 'S', CLI_FLAG, NULL,                                 \
			"refuse unused names and the like, as opa does"        \
	}
#define CLI_SIGNING_ALG_ROW                                                    \
	{                                                                      \
		"signing-alg", 0, CLI_VALUE, "ALG",                            \
			"of signatures: RS256 (the default), RS384, RS512, "   \
			"PS256, ES256, HS256, ..., or EdDSA"                   \
	}
#define CLI_SIGNING_KEY_ROW                                                    \
	{                                                                      \
		"signing-key", 0, CLI_VALUE, "KEY",                            \
			"PEM file of a private key; the secret, or a file of " \
			"it, of HS256, HS384 and HS512"                        \
	}
#define CLI_CLAIMS_FILE_ROW                                                    \
	{                                                                      \
		"claims-file", 0, CLI_VALUE, "FILE",                           \
			"JSON of more claims to sign, such as a scope"         \
	}

#define CLI_BUNDLE_READ_ROWS(first)                                            \
	[(first) +                                                             \
		CLI_BUNDLE_VERIFICATION_KEY] = { "verification-key", 0,        \
						 CLI_VALUE, "KEY",             \
						 "check signatures: PEM file " \
						 "of a public key or a "       \
						 "certificate, "               \
						 "or a secret" },              \
		[(first) + CLI_BUNDLE_VERIFICATION_KEY_ID] = { "verification-" \
							       "key-id",       \
							       0, CLI_VALUE,   \
							       "NAME",         \
							       "what the key " \
							       "is called "    \
							       "(default: "    \
							       "default)" },   \
		[(first) + CLI_BUNDLE_SIGNING_ALG] = CLI_SIGNING_ALG_ROW,      \
		[(first) + CLI_BUNDLE_SCOPE] = { "scope", 0, CLI_VALUE,        \
						 "TEXT",                       \
						 "that a signature has to "    \
						 "be for" },                   \
		[(first) + CLI_BUNDLE_EXCLUDE] = { "exclude-files-verify", 0,  \
						   CLI_LIST, "PATTERN",        \
						   "files that are not "       \
						   "checked" },                \
		[(first) + CLI_BUNDLE_SKIP_VERIFY] = { "skip-verify", 0,       \
						       CLI_FLAG, NULL,         \
						       "take signed bundles "  \
						       "without a look at "    \
						       "signatures" },         \
		[(first) + CLI_BUNDLE_IGNORE] = { "ignore", 0, CLI_LIST,       \
						  "PATTERN",                   \
						  "leave out files and "       \
						  "folders so named ('.*', "   \
						  "'*_test.rego')" },          \
		[(first) + CLI_BUNDLE_V0] = CLI_V0_ROW

/*
 * The options for bl_bundle_read; borrowed from the arena of cli.
 * has_bundles: else it is USAGE to speak of keys.
 */
enum bl_status cli_bundle_options(struct cli *cli, size_t first,
				  bool has_bundles,
				  struct bl_bundle_options *out_options,
				  struct bl_error *err);

/* By which rows a command signs; key_id and alg come from its options. */
struct cli_signing_rows {
	size_t key;
	size_t algorithm;
	size_t claims_file;
};

/*
 * *out_signing for bl_bundle_sign, without a key_id; its key has no text when
 * none is given.
 */
enum bl_status cli_bundle_signing(struct cli *cli,
				  const struct cli_signing_rows *rows,
				  struct bl_bundle_signing *out_signing,
				  struct bl_error *err);

#endif
