/* SPDX-License-Identifier: Apache-2.0 */
/* opa/reader.h: what config.c and services.c share to read a configuration. */
#ifndef BELAY_OPA_READER_H
#define BELAY_OPA_READER_H

#include "opa/private.h"

struct opa_reader {
	struct bl_str file;
	struct bl_arena *arena;
	struct bl_opa_config *out;
	struct bl_opa_service *services;
	size_t service_count;
	struct bl_array_builder warnings;
	struct bl_error *err;
};

enum opa_key_use { OPA_KEY_READ, OPA_KEY_REFUSED };

struct opa_key {
	const char *name;
	enum opa_key_use use;
	const char *remedy;
};

/* INVALID: "FILE: PLACE KEY: remedy". */
enum bl_status opa_config_fail(struct opa_reader *r, const char *place,
			       struct bl_str key, const char *remedy);

/* object must be one (or undefined); keys that the table lacks become warnings. */
enum bl_status opa_check_keys(struct opa_reader *r, const char *place,
			      struct bl_value object,
			      const struct opa_key *table, size_t count);

struct bl_value opa_member(struct bl_value object, const char *name);

/* A missing one leaves *out as it is. */
enum bl_status opa_get_text(struct opa_reader *r, const char *place,
			    struct bl_value object, const char *name,
			    struct bl_str *out);

/* http://localhost, 127.0.0.1 and [::1] are this machine; others need TLS. */
bool opa_is_private_line(struct bl_str url);

/* services.c: the section "services", a list or a map, into r->services. */
enum bl_status opa_read_services(struct opa_reader *r,
				 struct bl_value services);

#endif
