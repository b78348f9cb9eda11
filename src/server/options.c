/* SPDX-License-Identifier: Apache-2.0 */
/* options.c: the command line of belay-server. */
#include "server/options.h"

#include "server/export.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEXT_BYTES = 1 << 20, MAX_DAYS = 3650, MAX_RATE = 100000 };

enum option_kind { OPTION_TEXT, OPTION_FILE, OPTION_NUMBER, OPTION_FLAG };

static const struct {
	const char *name;
	const char *value; /* what stands for it in the help; NULL: a flag */
	enum option_kind kind;
	size_t at;
	int64_t most;
	const char *text;
} rows[] = {
#define AT(member) offsetof(struct app_options, member)
	{ "--data", "DIR", OPTION_TEXT, AT(data), 0,
	  "where everything is kept (made when missing)" },
	{ "--listen", "ADDRESS:PORT", OPTION_TEXT, AT(listen_text), 0,
	  "default 127.0.0.1:8420" },
	{ "--public-url", "URL", OPTION_TEXT, AT(public_url), 0,
	  "how people reach it, as https://belay.example" },
	{ "--database", "URL", OPTION_TEXT, AT(database), 0,
	  "postgresql://... instead of SQLite in DIR" },
	{ "--database-file", "FILE", OPTION_FILE, AT(database), 0,
	  "a file that holds that URL" },
	{ "--keys", "DIR", OPTION_TEXT, AT(keys), 0,
	  "signing keys (default: keys in DIR)" },
	{ "--tls-cert", "FILE", OPTION_FILE, AT(tls_cert), 0,
	  "certificate and chain, PEM" },
	{ "--tls-key", "FILE", OPTION_FILE, AT(tls_key), 0, "its key, PEM" },
	{ "--oidc-issuer", "URL", OPTION_TEXT, AT(oidc_issuer), 0,
	  "sign people in by this OpenID Connect provider" },
	{ "--oidc-client", "ID", OPTION_TEXT, AT(oidc_client), 0,
	  "our client id there" },
	{ "--oidc-secret-file", "FILE", OPTION_FILE, AT(oidc_secret), 0,
	  "a file that holds our secret there" },
	{ "--oidc-admin", "EMAIL", OPTION_TEXT, AT(oidc_admin), 0,
	  "who becomes an administrator on first coming" },
	{ "--oidc-role", "ROLE", OPTION_TEXT, AT(oidc_role), 0,
	  "the role of others then (default: none)" },
	{ "--export-otlp", "URL", OPTION_TEXT, AT(export_otlp), 0,
	  "send records to this collector (OTLP: .../v1/logs)" },
	{ "--export-otlp-header", "FILE", OPTION_FILE, AT(export_otlp_header),
	  0, "a file with a header for it, as \"Authorization: ...\"" },
	{ "--export-ca", "FILE", OPTION_FILE, AT(export_ca), 0,
	  "a collector's certificate authority, PEM (default: the system's)" },
	{ "--export-cert", "FILE", OPTION_FILE, AT(export_cert), 0,
	  "our certificate for a collector, PEM" },
	{ "--export-key", "FILE", OPTION_FILE, AT(export_key), 0,
	  "its key, PEM" },
	{ "--export-syslog", "[tls://]HOST:PORT", OPTION_TEXT,
	  AT(export_syslog), 0,
	  "send records there (RFC 5424 over TCP or TLS)" },
	{ "--team", "ID", OPTION_TEXT, AT(team), 0,
	  "the id of a new team (default: a random one)" },
	{ "--retention-days", "N", OPTION_NUMBER, AT(retention_days), MAX_DAYS,
	  "how long records are kept (default 90)" },
	{ "--machine-token-days", "N", OPTION_NUMBER, AT(machine_token_days),
	  MAX_DAYS, "tokens of machines end, and are replaced at half time" },
	{ "--rate", "N", OPTION_NUMBER, AT(rate), MAX_RATE,
	  "requests a second of one token (default 20)" },
	{ "--four-eyes", NULL, OPTION_FLAG, AT(four_eyes), 0,
	  "somebody else rolls out what a person has made" },
	{ "--behind-proxy", NULL, OPTION_FLAG, AT(behind_proxy), 0,
	  "all connections come from one address" },
	{ "--open-metrics", NULL, OPTION_FLAG, AT(open_metrics), 0,
	  "/metrics without a token" },
#undef AT
};

static const struct {
	const char *name;
	const char *arguments;
	size_t count;
	const char *text;
} commands[] = {
	{ "serve", "", 0, "serve (what is done without a command)" },
	{ "token", " ROLE NAME", 2, "print a new token of a person" },
	{ "backup", " FILE", 1, "copy SQLite's database while it is in use" },
	{ "copy", " URL", 1,
	  "copy everything into another, empty database (PATH or URL)" },
	{ "routes", "", 0, "print who may use which route" },
};

void options_put_help(struct bl_buf *out)
{
	bl_buf_puts(out, "belay-server: a team's hooks and policies, and what "
			 "came of them\n\nusage: belay-server --data DIR "
			 "[OPTION...] [COMMAND]\n\ncommands\n");
	for (size_t i = 0; i < BL_COUNT(commands); i++) {
		char left[64];

		snprintf(left, sizeof(left), "%s%s", commands[i].name,
			 commands[i].arguments);
		bl_buf_printf(out, "  %-24s %s\n", left, commands[i].text);
	}
	bl_buf_puts(out, "\noptions\n");
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		char left[64];

		snprintf(left, sizeof(left), "%s %s", rows[i].name,
			 rows[i].value ? rows[i].value : "");
		bl_buf_printf(out, "  %-24s %s\n", left, rows[i].text);
	}
	bl_buf_puts(out, "  --help                   show this\n"
			 "  --version                show the version\n\n"
			 "See belay-server(8).\n");
}

/* An empty file would count as an option that was not given. */
static enum bl_status check_file(const char *option, const char *path,
				 const struct bl_str *text,
				 struct bl_error *err)
{
	if (!text->len)
		return bl_fail(err, BL_CONFIG, "%s: %s is empty", option, path);
	if (memchr(text->ptr, '\0', text->len))
		return bl_fail(err, BL_CONFIG,
			       "%s: %s is not a text: it holds a NUL", option,
			       path);
	return BL_OK;
}

static enum bl_status set(struct app_options *options, size_t row,
			  const char *value, struct bl_arena *arena,
			  struct bl_error *err)
{
	void *to = (char *)options + rows[row].at;
	enum bl_status status;
	struct bl_str text;
	char *end;
	long long number;

	switch (rows[row].kind) {
	case OPTION_TEXT:
		if (!*value)
			return bl_fail(err, BL_USAGE, "%s is given as nothing",
				       rows[row].name);
		*(struct bl_str *)to = bl_str(value);
		return BL_OK;
	case OPTION_FILE:
		status = bl_os_read_file(bl_str(value), 0, TEXT_BYTES, arena,
					 &text, NULL, err);
		if (status)
			return status;
		/* A line feed at the end is not a part of a URL. */
		*(struct bl_str *)to =
			bl_arena_copy_str(arena, bl_str_trim(text));
		if (!((struct bl_str *)to)->ptr)
			return bl_fail_memory(err);
		return check_file(rows[row].name, value, to, err);
	case OPTION_FLAG:
		*(bool *)to = true;
		return BL_OK;
	case OPTION_NUMBER:
		break;
	}
	number = strtoll(value, &end, 10);
	if (*end || !*value || number < 1 || number > rows[row].most)
		return bl_fail(err, BL_USAGE, "%s is a number from 1 to %lld",
			       rows[row].name, (long long)rows[row].most);
	*(int64_t *)to = number;
	return BL_OK;
}

/* One option at *at; UNSUPPORTED when it is not one. */
static enum bl_status take(struct app_options *options, int argc, char **argv,
			   int *at, struct bl_arena *arena,
			   struct bl_error *err)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		size_t len = strlen(rows[i].name);
		const char *argument = argv[*at];

		if (strncmp(argument, rows[i].name, len) != 0)
			continue;
		if (argument[len] == '=' && rows[i].value)
			return set(options, i, argument + len + 1, arena, err);
		if (argument[len])
			continue;
		if (!rows[i].value)
			return set(options, i, "", arena, err);
		if (++*at == argc)
			return bl_fail(err, BL_USAGE, "%s needs %s",
				       rows[i].name, rows[i].value);
		return set(options, i, argv[*at], arena, err);
	}
	return bl_fail(err, BL_USAGE, "there is no option %s; see --help",
		       argv[*at]);
}

/* Only what can be sent; more headers in one would be another way to send them. */
static enum bl_status check_exports(const struct app_options *options,
				    struct bl_arena *arena,
				    struct bl_error *err)
{
	struct bl_str url = options->export_otlp;
	struct bl_str header = options->export_otlp_header;
	struct bl_str syslog = options->export_syslog;
	struct export_address address = { .is_tls = false };

	if (syslog.len && !export_split_address(syslog, arena, &address))
		return bl_fail(err, BL_USAGE,
			       "--export-syslog is [tls://]HOST:PORT, an IPv6 "
			       "address in brackets");
	if (url.len && !bl_str_has_prefix(url, BL_STR("https://")) &&
	    !bl_str_has_prefix(url, BL_STR("http://")))
		return bl_fail(err, BL_USAGE,
			       "--export-otlp begins with https:// or http://");
	if (header.len && !url.len)
		return bl_fail(err, BL_USAGE,
			       "--export-otlp-header needs --export-otlp");
	if (!options->export_cert.len != !options->export_key.len)
		return bl_fail(err, BL_USAGE,
			       "--export-cert and --export-key go together");
	if ((options->export_ca.len || options->export_cert.len) && !url.len &&
	    !address.is_tls)
		return bl_fail(err, BL_USAGE,
			       "--export-ca and --export-cert need "
			       "--export-otlp, or --export-syslog with tls://");
	for (size_t i = 0; i < header.len; i++)
		if ((unsigned char)header.ptr[i] < ' ')
			return bl_fail(err, BL_CONFIG,
				       "--export-otlp-header: the file has "
				       "more than one line");
	if (header.len && bl_str_find(header, BL_STR(": "), 0) == SIZE_MAX)
		return bl_fail(err, BL_CONFIG,
			       "--export-otlp-header: the file is not of the "
			       "form \"Name: value\"");
	return BL_OK;
}

/* Options that follow from the others. */
static enum bl_status complete(struct app_options *options,
			       struct bl_arena *arena, struct bl_error *err)
{
	enum bl_status status;

	if (!options->data.len)
		return bl_fail(err, BL_USAGE,
			       "say where to keep everything: --data DIR");
	if (!options->tls_cert.len != !options->tls_key.len)
		return bl_fail(err, BL_USAGE,
			       "--tls-cert and --tls-key go together");
	if (options->public_url.len &&
	    !bl_str_has_prefix(options->public_url, BL_STR("https://")) &&
	    !bl_str_has_prefix(options->public_url, BL_STR("http://")))
		return bl_fail(err, BL_USAGE,
			       "--public-url begins with https:// or http://");
	if (options->oidc_issuer.len &&
	    (!options->oidc_client.len || !options->public_url.len))
		return bl_fail(err, BL_USAGE,
			       "--oidc-issuer needs --oidc-client and "
			       "--public-url");
	if (options->oidc_role.len &&
	    !(app_role_find(options->oidc_role) & ROLE_PEOPLE))
		return bl_fail(err, BL_USAGE,
			       "--oidc-role is one of auditor, editor, admin");
	status = check_exports(options, arena, err);
	if (status)
		return status;
	if (!options->database.len)
		options->database = bl_arena_printf(arena, "%.*s/belay.db",
						    BL_STR_ARG(options->data));
	if (!options->keys.len)
		options->keys = bl_arena_printf(arena, "%.*s/keys",
						BL_STR_ARG(options->data));
	if (!options->database.ptr || !options->keys.ptr)
		return bl_fail_memory(err);
	options->listen = options->listen_text.len ? options->listen_text.ptr
						   : "127.0.0.1:8420";
	return BL_OK;
}

static bool find_command(const char *name, struct command *out)
{
	for (size_t i = 0; i < BL_COUNT(commands); i++)
		if (!strcmp(commands[i].name, name)) {
			out->name = commands[i].name;
			out->wanted = commands[i].count;
			return true;
		}
	return false;
}

enum bl_status options_parse(int argc, char **argv, struct bl_arena *arena,
			     struct app_options *out, struct command *command,
			     struct bl_error *err)
{
	enum bl_status status = BL_OK;

	*out = (struct app_options){ .retention_days = 90, .rate = 20 };
	*command = (struct command){ .name = NULL };
	for (int i = 1; !status && i < argc; i++) {
		if (argv[i][0] == '-')
			status = take(out, argc, argv, &i, arena, err);
		else if (!command->name && find_command(argv[i], command))
			continue;
		else if (command->name && command->count < command->wanted)
			command->arguments[command->count++] = argv[i];
		else
			status = bl_fail(err, BL_USAGE,
					 "unexpected \"%s\"; see --help",
					 argv[i]);
	}
	if (!command->name)
		command->name = "serve";
	if (!status && command->count < command->wanted)
		status = bl_fail(err, BL_USAGE, "%s needs more; see --help",
				 command->name);
	return status ? status : complete(out, arena, err);
}
