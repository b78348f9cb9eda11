/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The errors of a compilation.  Our passes are not OPA's: one may come upon what OPA
 * finds in a later stage, which it never gets to.  So errors are kept until the end, each
 * with OPA's stage, and those of stages that OPA would not have come to are left out.
 */
#include <stdarg.h>
#include <stdlib.h>

#include "rego/compiler/resolve/analysis.h"

static const struct {
	const char *code;
	uint8_t stage;
	bool ends;
} kinds[] = {
#define FINDING(name, code, stage, ends)                                       \
	[BL_FINDING_##name] = { code, stage, ends },
#include "rego/compiler/resolve/findings.def"
#undef FINDING
};

struct bl_finding_note {
	enum bl_rego_finding kind;
	struct bl_diag_source source;
	size_t offset;
	size_t number; /* in the order in which they were found */
	struct bl_str message;
	struct bl_finding_note *next;
};

void bl_compiler_error(struct bl_compiler *compiler,
		       const struct bl_rego_module *module, uint32_t offset,
		       enum bl_rego_finding kind, const char *fmt, ...)
{
	struct bl_findings *findings = &compiler->findings;
	struct bl_finding_note *note =
		bl_arena_new(compiler->arena, struct bl_finding_note);
	struct bl_buf message;
	va_list args;

	if (!note) {
		compiler->failed_memory = true;
		return;
	}
	va_start(args, fmt);
	bl_buf_init(&message, 0);
	bl_buf_vprintf(&message, fmt, args);
	va_end(args);
	*note = (struct bl_finding_note){
		.kind = kind,
		.source = compiler->query,
		.offset = offset,
		.number = findings->count++,
		.message = bl_arena_copy_str(compiler->arena,
					     bl_buf_str(&message)),
		.next = findings->first,
	};
	bl_buf_clear(&message);
	if (module)
		note->source =
			(struct bl_diag_source){ module->file, module->text };
	findings->first = note;
	findings->ending_count += kinds[kind].ends;
}

/* ---- reporting -------------------------------------------------------------- */

static int compare_notes(const void *a, const void *b)
{
	const struct bl_finding_note *x =
		*(const struct bl_finding_note *const *)a;
	const struct bl_finding_note *y =
		*(const struct bl_finding_note *const *)b;
	int order = bl_str_compare(x->source.file, y->source.file);

	if (order)
		return order;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The first stage that ends, which is the last one that counts. */
static uint8_t last_stage(const struct bl_findings *findings)
{
	uint8_t last = UINT8_MAX;

	for (const struct bl_finding_note *at = findings->first; at;
	     at = at->next)
		if (kinds[at->kind].ends && kinds[at->kind].stage < last)
			last = kinds[at->kind].stage;
	return last;
}

void bl_findings_report(struct bl_compiler *compiler)
{
	struct bl_findings *findings = &compiler->findings;
	uint8_t last = last_stage(findings);
	struct bl_finding_note **notes = bl_arena_new_array(
		compiler->arena, struct bl_finding_note *, findings->count + 1);
	size_t count = 0;

	if (!notes) {
		compiler->failed_memory = true;
		return;
	}
	for (struct bl_finding_note *at = findings->first; at; at = at->next)
		if (kinds[at->kind].stage <= last)
			notes[count++] = at;
	if (count)
		qsort(notes, count, sizeof(struct bl_finding_note *),
		      compare_notes);
	for (size_t i = 0; i < count; i++) {
		const struct bl_diag_source *source = &notes[i]->source;
		struct bl_place place = { 0 };

		if (source->text.ptr)
			place = bl_place_at(source->text, notes[i]->offset);
		bl_diags_add(compiler->diags, BL_SEVERITY_ERROR,
			     kinds[notes[i]->kind].code, source, place, NULL,
			     "%.*s", BL_STR_ARG(notes[i]->message));
	}
}
