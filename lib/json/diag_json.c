/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics as JSON, for programs.  Apart from base/diag.c, which knows
 * nothing of JSON.
 */
#include "json/json.h"

/* Texts of other people's files may be any bytes; JSON must be UTF-8. */
static void put_text(struct bl_buf *out, const char *key, struct bl_str text)
{
	bl_buf_printf(out, "\"%s\": ", key);
	bl_json_write_string(out, text);
}

static void put_diag(struct bl_buf *out, const struct bl_diag *diag)
{
	bl_buf_puts(out, "  {\n    ");
	put_text(out, "severity", bl_str(bl_severity_name(diag->severity)));
	bl_buf_puts(out, ",\n    ");
	put_text(out, "code", bl_str(diag->code));
	bl_buf_puts(out, ",\n    ");
	put_text(out, "file", diag->file);
	if (diag->place.line)
		bl_buf_printf(out, ",\n    \"line\": %u,\n    \"column\": %u",
			      diag->place.line, diag->place.column);
	bl_buf_puts(out, ",\n    ");
	put_text(out, "message", diag->message);
	if (diag->hint.len) {
		bl_buf_puts(out, ",\n    ");
		put_text(out, "hint", diag->hint);
	}
	bl_buf_puts(out, "\n  }");
}

void bl_json_write_diags(struct bl_buf *out, const struct bl_diags *diags)
{
	bl_buf_puts(out, "[");
	for (const struct bl_diag *diag = diags->first; diag;
	     diag = diag->next) {
		bl_buf_puts(out, diag == diags->first ? "\n" : ",\n");
		put_diag(out, diag);
	}
	bl_buf_puts(out, diags->first ? "\n]\n" : "]\n");
}

/* ---- SARIF -------------------------------------------------------------- */

static const char sarif_schema[] =
	"https://json.schemastore.org/sarif-2.1.0.json";

/* Bytes that a URI path may not hold are written as %XX. */
static void put_uri(struct bl_buf *out, struct bl_str path)
{
	static const char kept[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789-._~/";

	bl_buf_put_char(out, '"');
	for (size_t i = 0; i < path.len; i++) {
		unsigned char byte = (unsigned char)path.ptr[i];

		if (byte && strchr(kept, byte))
			bl_buf_put_char(out, (char)byte);
		else
			bl_buf_printf(out, "%%%02X", byte);
	}
	bl_buf_put_char(out, '"');
}

/* Is this the first finding of the list with its code? */
static bool is_first_of_code(const struct bl_diags *diags,
			     const struct bl_diag *diag)
{
	const struct bl_diag *other = diags->first;

	while (other != diag && strcmp(other->code, diag->code) != 0)
		other = other->next;
	return other == diag;
}

static void put_rules(struct bl_buf *out, const struct bl_diags *diags)
{
	const char *before = "";

	bl_buf_puts(out, "\"rules\": [");
	for (const struct bl_diag *diag = diags->first; diag;
	     diag = diag->next) {
		if (!is_first_of_code(diags, diag))
			continue;
		bl_buf_printf(out, "%s{ ", before);
		put_text(out, "id", bl_str(diag->code));
		bl_buf_puts(out, " }");
		before = ", ";
	}
	bl_buf_puts(out, "]");
}

static void put_message(struct bl_buf *out, const struct bl_diag *diag)
{
	struct bl_buf text;

	bl_buf_init(&text, out->max);
	bl_buf_put_str(&text, diag->message);
	if (diag->hint.len) {
		bl_buf_puts(&text, "\nhint: ");
		bl_buf_put_str(&text, diag->hint);
	}
	if (bl_buf_status(&text))
		out->status = bl_buf_status(&text);
	bl_buf_puts(out, "\"message\": { ");
	put_text(out, "text", bl_buf_str(&text));
	bl_buf_puts(out, " }");
	bl_buf_clear(&text);
}

static void put_result(struct bl_buf *out, const struct bl_diag *diag)
{
	bl_buf_puts(out, "        {\n          ");
	put_text(out, "ruleId", bl_str(diag->code));
	bl_buf_puts(out, ",\n          ");
	put_text(out, "level", bl_str(bl_severity_name(diag->severity)));
	bl_buf_puts(out, ",\n          ");
	put_message(out, diag);
	bl_buf_puts(out, ",\n          \"locations\": [{ "
			 "\"physicalLocation\": { \"artifactLocation\": { "
			 "\"uri\": ");
	put_uri(out, diag->file);
	bl_buf_puts(out, " }");
	if (diag->place.line)
		bl_buf_printf(out,
			      ", \"region\": { \"startLine\": %u, "
			      "\"startColumn\": %u }",
			      diag->place.line, diag->place.column);
	bl_buf_puts(out, " } }]\n        }");
}

void bl_json_write_sarif(struct bl_buf *out, const struct bl_diags *diags,
			 const char *tool_version)
{
	bl_buf_printf(out,
		      "{\n  \"$schema\": \"%s\",\n"
		      "  \"version\": \"2.1.0\",\n"
		      "  \"runs\": [\n    {\n      \"tool\": { \"driver\": { "
		      "\"name\": \"belay\", ",
		      sarif_schema);
	put_text(out, "version", bl_str(tool_version));
	bl_buf_puts(out, ", ");
	put_rules(out, diags);
	bl_buf_puts(out, " } },\n      \"results\": [");
	for (const struct bl_diag *diag = diags->first; diag;
	     diag = diag->next) {
		bl_buf_puts(out, diag == diags->first ? "\n" : ",\n");
		put_result(out, diag);
	}
	bl_buf_puts(out, diags->first ? "\n      ]\n" : "]\n");
	bl_buf_puts(out, "    }\n  ]\n}\n");
}
