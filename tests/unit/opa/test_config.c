/* SPDX-License-Identifier: Apache-2.0 */
/* src/opa/config.c: what OPA's configuration says, and each way that it is refused. */
#include "opa/opa.h"

#include "tap.h"

static struct bl_error err;
static struct bl_arena arena;
static struct bl_opa_config config;

static enum bl_status parse(const char *text)
{
	bl_arena_reset(&arena);
	err = (struct bl_error){ 0 };
	return bl_opa_parse_config(BL_STR("opa.yaml"), bl_str(text), &arena,
				   &config, &err);
}

#define SERVICE "services: {corp: {url: 'https://opa.example.com/v1/'}}\n"
#define BUNDLE  "bundles: {acme: {service: corp}}\n"

static void the_defaults(void)
{
	CHECK_STATUS(parse(SERVICE BUNDLE), BL_OK);
	CHECK_STR(config.name, "acme");
	CHECK_STR(config.service->url, "https://opa.example.com/v1");
	CHECK_STR(config.resource, "bundles/acme");
	CHECK_INT(config.min_delay_s, 60);
	CHECK_INT(config.max_delay_s, 120);
	CHECK_INT(config.long_poll_s, 0);
	CHECK(!config.verification && !config.log.service &&
	      !config.status.service);
	CHECK_INT(bl_value_count(config.warnings), 0);
}

static void everything(void)
{
	CHECK_STATUS(
		parse("services:\n"
		      "  - name: a\n"
		      "    url: http://10.0.0.1:8080\n"
		      "    headers: {X-Team: red}\n"
		      "  - name: b\n"
		      "    url: https://b.example.com\n"
		      "    credentials: {bearer: {token_path: /t, scheme: X}}\n"
		      "    tls: {ca_cert: /ca.pem, system_ca_required: true}\n"
		      "bundles:\n"
		      "  x/y:\n"
		      "    service: a\n"
		      "    resource: /files/x.tar.gz\n"
		      "    persist: true\n"
		      "    signing: {keyid: k, scope: write, "
		      "exclude_files: ['*.md']}\n"
		      "    polling: {min_delay_seconds: 3, "
		      "max_delay_seconds: 9, long_polling_timeout_seconds: "
		      "40}\n"
		      "keys:\n"
		      "  k: {algorithm: ES256, key: PEM, scope: read}\n"
		      "  l: {key: OTHER}\n"
		      "labels: {region: eu}\n"
		      "status: {service: b}\n"
		      "decision_logs: {service: b, partition_name: edge}\n"),
		BL_OK);
	CHECK_STR(config.resource, "files/x.tar.gz");
	CHECK_STR(config.service->name, "a");
	CHECK(!strcmp(config.service->headers[0], "X-Team: red"));
	CHECK(!config.service->headers[1]);
	CHECK_STR(config.status.service->token_path, "/t");
	CHECK_STR(config.status.service->scheme, "X");
	CHECK_STR(config.status.service->ca_file, "/ca.pem");
	CHECK(config.status.service->system_certs);
	CHECK_STR(config.verification->key.algorithm, "ES256");
	CHECK_STR(config.verification->key.text, "PEM");
	CHECK_STR(config.verification->scope, "write");
	CHECK_INT(config.verification->excluded_count, 1);
	CHECK_INT(config.min_delay_s, 3);
	CHECK_INT(config.max_delay_s, 9);
	CHECK_INT(config.long_poll_s, 40);
	CHECK_STR(config.status.resource, "status");
	CHECK_STR(config.log.resource, "logs/edge");
	CHECK_INT(bl_value_count(config.labels), 1);
}

/* JSON is YAML; the only service and the only key need no name. */
static void what_goes_without_saying(void)
{
	CHECK_STATUS(parse("{\"services\":{\"s\":{\"url\":\"http://localhost:"
			   "1\"}},\"bundles\":{\"b\":{\"signing\":{}}},"
			   "\"keys\":{\"k\":{\"key\":\"PEM\"}},\"status\":{}}"),
		     BL_OK);
	CHECK_STR(config.verification->key.algorithm, "RS256");
	CHECK_STR(config.status.service->name, "s");
}

static void what_is_only_warned_of(void)
{
	CHECK_STATUS(parse(SERVICE "bundles: {acme: {service: corp, "
				   "trigger: manual}}\n"
				   "plugins: {}\ncaching: {}\n"
				   "decision_logs: {service: corp, "
				   "mask_decision: /x}\n"),
		     BL_OK);
	REQUIRE(bl_value_count(config.warnings) == 4);
	CHECK_STR(bl_value_text(bl_value_item(config.warnings, 0)),
		  "opa.yaml: plugins: belay does not follow this");
}

static const struct {
	const char *text;
	const char *words; /* of the message */
} bad[] = {
	{ "", "not an object" },
	{ "[]", "not an object" },
	{ "a: b: c", "yaml" },
	{ BUNDLE, "name 1 to 64 services" },
	{ "services: {}\n" BUNDLE, "name 1 to 64 services" },
	{ "services: 7\n" BUNDLE, "name 1 to 64 services" },
	{ SERVICE, "exactly one bundle" },
	{ SERVICE "bundles: {}\n", "exactly one bundle" },
	{ SERVICE "bundles: {a: {}, b: {}}\n", "exactly one bundle" },
	{ SERVICE "bundles: [a]\n", "exactly one bundle" },
	{ SERVICE BUNDLE "discovery: {service: corp}\n", "discovery" },
	{ SERVICE "bundle: {name: x}\n", "use bundles" },
	{ SERVICE BUNDLE "labels: {a: ${HOME}}\n", "environment" },
	{ SERVICE BUNDLE "labels: {a: 1}\n", "labels.a" },
	{ SERVICE BUNDLE "labels: [a]\n", "labels" },
	{ SERVICE "bundles: {acme: {service: other}}\n",
	  "one of the services" },
	{ SERVICE BUNDLE "status: {service: other}\n", "one of the services" },
	{ SERVICE "bundles: {acme: {resource: 'a b'}}\n", "path of a URL" },
	{ SERVICE "bundles: {acme: {resource: ''}}\n", "path of a URL" },
	{ SERVICE "bundles: {acme: {resource: 7}}\n", "not a text" },
	{ SERVICE "bundles: {acme: {polling: {min_delay_seconds: 0}}}\n",
	  "number of seconds" },
	{ SERVICE "bundles: {acme: {polling: {max_delay_seconds: 86401}}}\n",
	  "number of seconds" },
	{ SERVICE "bundles: {acme: {polling: {min_delay_seconds: 9, "
		  "max_delay_seconds: 3}}}\n",
	  "less than min_delay_seconds" },
	{ SERVICE "bundles: {acme: {signing: {keyid: k}}}\n",
	  "one of the keys" },
	{ SERVICE "bundles: {acme: {signing: {}}}\nkeys: {a: {key: x}, "
		  "b: {key: y}}\n",
	  "one of the keys" },
	{ SERVICE "bundles: {acme: {signing: {}}}\nkeys: {a: {scope: x}}\n",
	  "PEM text" },
	{ "services: {s: {url: 'http://10.0.0.1'}}\nbundles: {b: {}}\n",
	  "unsigned bundle over http" },
	{ "services: {s: {url: 'http://10.0.0.1', credentials: {bearer: "
	  "{token: t}}}}\nbundles: {b: {signing: {}}}\nkeys: {k: {key: x}}\n",
	  "use https" },
	{ "services: {s: {url: 'ftp://x'}}\n" BUNDLE, "http[s]://" },
	{ "services: {s: {url: 'https://u@x'}}\n" BUNDLE, "http[s]://" },
	{ "services: {s: {url: 'https://x?a'}}\n" BUNDLE, "http[s]://" },
	{ "services: {s: {}}\n" BUNDLE, "http[s]://" },
	{ "services: {s: {url: 'https://x', type: oci}}\n" BUNDLE, "OCI" },
	{ "services: {s: {url: 'https://x', allow_insecure_tls: "
	  "true}}\n" BUNDLE,
	  "tls.ca_cert" },
	{ "services: {s: {url: 'https://x', credentials: {s3_signing: "
	  "{}}}}\n" BUNDLE,
	  "bearer alone" },
	{ "services: {s: {url: 'https://x', credentials: {bearer: {token: "
	  "'a b'}}}}\n" BUNDLE,
	  "no blanks" },
	{ "services: {s: {url: 'https://x', credentials: {bearer: {token: a, "
	  "token_path: b}}}}\n" BUNDLE,
	  "do not go together" },
	{ "services: {s: {url: 'https://x', headers: {X: \"a\\nb\"}}}\n" BUNDLE,
	  "cannot be a header" },
	{ "services: {s: {url: 'https://x', headers: {'X Y': a}}}\n" BUNDLE,
	  "cannot be a header" },
};

static void what_is_refused(void)
{
	for (size_t i = 0; i < BL_COUNT(bad); i++) {
		enum bl_status status = parse(bad[i].text);

		CHECK(status == BL_INVALID || status == BL_SYNTAX);
		CHECK(strstr(err.message, "opa.yaml"));
		CHECK(strstr(err.message, bad[i].words));
		if (!strstr(err.message, bad[i].words))
			TAP_NOTE("%s: %s", bad[i].text, err.message);
	}
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(the_defaults);
	RUN(everything);
	RUN(what_goes_without_saying);
	RUN(what_is_only_warned_of);
	RUN(what_is_refused);
	bl_arena_clear(&arena);
	return tap_end();
}
