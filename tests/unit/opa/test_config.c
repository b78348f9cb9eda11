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

#define OCI(resource)                                                          \
	"services: {s: {url: 'https://x', type: oci}}\n"                       \
	"bundles: {b: {resource: '" resource "'}}\n"
#define CREDENTIALS(object)                                                    \
	"services: {s: {url: 'https://x', credentials: " object "}}\n"         \
	"bundles: {b: {service: s}}\n"

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

static void a_registry(void)
{
	CHECK_STATUS(
		parse("services: {s: {url: 'https://ghcr.io', type: oci, "
		      "credentials: {bearer: {scheme: Basic, token: 'me:pass "
		      "word'}}}}\n"
		      "bundles: {b: {resource: 'ghcr.io/a/b:v1.2'}}\n"),
		BL_OK);
	CHECK(config.service->is_oci);
	CHECK_STR(config.service->token, "me:pass word");
	CHECK_STR(config.resource, "ghcr.io/a/b:v1.2");
}

static void other_credentials(void)
{
	CHECK_STATUS(
		parse(CREDENTIALS("{oauth2: {token_url: 'https://t/x', "
				  "client_id: a, client_secret: b, scopes: [c, "
				  "d]}}")),
		BL_OK);
	CHECK_INT(config.service->credentials, BL_OPA_OAUTH2);
	CHECK_STR(config.service->scopes, "c d");
	CHECK_STATUS(parse(CREDENTIALS("{s3_signing: {environment_credentials: "
				       "{}}}")),
		     BL_OK);
	CHECK_STR(config.service->aws_service, "s3");
	CHECK_STATUS(parse(CREDENTIALS("{client_tls: {cert: /c, private_key: "
				       "/k}}")),
		     BL_OK);
	CHECK_STR(config.service->key_file, "/k");
	CHECK_INT(config.service->credentials, BL_OPA_ANONYMOUS);
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
	{ "services: {s: {url: 'https://x', type: oci}}\n" BUNDLE,
	  "one of the services" },
	{ "services: {s: {url: 'https://x', type: ftp}}\nbundles: {b: {}}\n",
	  "the type oci" },
	{ "services: {s: {url: 'https://x', type: oci}}\nbundles: {b: {}}\n",
	  "NAME:TAG" },
	{ OCI("x/acme"), "NAME:TAG" },
	{ OCI("x/acme:"), "NAME:TAG" },
	{ OCI("x/acme:a/b"), "NAME:TAG" },
	{ OCI("x/acme:.a"), "NAME:TAG" },
	{ OCI("x/ac/../me:a"), "NAME:TAG" },
	{ OCI("x/Acme:a"), "NAME:TAG" },
	{ OCI("x/acme@sha256:12"), "NAME:TAG" },
	{ OCI("acme:v1"), "NAME:TAG" },
	{ OCI("x/acme:v1") "status: {}\n", "takes neither" },
	{ "services: {s: {url: 'https://x', type: oci, credentials: "
	  "{s3_signing: {environment_credentials: {}}}}}\n" BUNDLE,
	  "a registry is shown bearer" },
	{ CREDENTIALS("{gcp_metadata: {}}"), "belay knows bearer" },
	{ CREDENTIALS("{bearer: {}, oauth2: {}}"), "one kind" },
	{ CREDENTIALS("{bearer: 7}"), "not an object" },
	{ CREDENTIALS("{oauth2: {token_url: 'https://t'}}"), "client_secret" },
	{ CREDENTIALS("{oauth2: {token_url: 'http://10.0.0.1', client_id: a, "
		      "client_secret: b}}"),
	  "with https" },
	{ CREDENTIALS("{oauth2: {token_url: 'https://t', client_id: a, "
		      "client_secret: b, grant_type: jwt_bearer}}"),
	  "client_credentials" },
	{ CREDENTIALS("{oauth2: {token_url: 'https://t', client_id: a, "
		      "client_secret: b, scopes: ['a b']}}"),
	  "32 words" },
	{ CREDENTIALS("{client_tls: {cert: /c}}"), "private_key" },
	{ CREDENTIALS("{client_tls: {cert: /c, private_key: /k, "
		      "private_key_passphrase: x}}"),
	  "without a passphrase" },
	{ CREDENTIALS("{s3_signing: {metadata_credentials: {}}}"),
	  "AWS_ACCESS_KEY_ID" },
	{ CREDENTIALS("{s3_signing: {environment_credentials: {}, "
		      "signature_version: 4a}}"),
	  "version 4 alone" },
	{ "services: {s: {url: 'https://x', allow_insecure_tls: "
	  "true}}\n" BUNDLE,
	  "tls.ca_cert" },
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
	RUN(a_registry);
	RUN(other_credentials);
	RUN(what_goes_without_saying);
	RUN(what_is_only_warned_of);
	RUN(what_is_refused);
	bl_arena_clear(&arena);
	return tap_end();
}
