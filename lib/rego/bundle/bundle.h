/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/bundle/bundle.h: OPA's bundles: policies, data and a manifest, in a folder or
 * in a tar archive that gzip packed.
 *
 * The input is untrusted.  Nothing is ever unpacked to disk; an archive's
 * links and devices, names with "..", a name that comes twice, and what passes a
 * limit are errors.  Texts of errors are OPA's where it has one.
 *
 * This module links zlib, so it is a library of its own, which the static
 * program does not have.
 */
#ifndef BELAY_REGO_BUNDLE_BUNDLE_H
#define BELAY_REGO_BUNDLE_BUNDLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "rego/builtins/external/external.h"
#include "rego/compiler/compiler.h"
#include "value/value.h"

enum {
	BL_BUNDLE_MAX_BYTES = 1 << 30, /* of all files together, unpacked */
	BL_BUNDLE_MAX_FILES = 100000,
	BL_BUNDLE_MAX_NAME_BYTES = 4096, /* of a path */
	BL_BUNDLE_MAX_DEPTH = 64,        /* of folders */
};

/* ---- archives (bundle/unpack.c, bundle/pack.c) --------------------------- */

struct bl_bundle_file {
	struct bl_str path;  /* "x/p.rego": no "/" in front, no ".", no ".." */
	struct bl_str shown; /* as the archive has it, less "./" in front */
	struct bl_str text;
};

struct bl_bundle_files {
	struct bl_bundle_file *items;
	size_t count;
	size_t cap;
	bool is_folder; /* they are of one, not of an archive */
};

/*
 * The files of a .tar.gz, in its order, all in arena: ustar, pax and GNU names.
 * max_bytes (0: BL_BUNDLE_MAX_BYTES) limits what comes out of gzip.  INVALID:
 * damaged, or something that a bundle must not have; LIMIT; NO_MEMORY.
 */
enum bl_status bl_bundle_unpack(struct bl_arena *arena, struct bl_str archive,
				size_t max_bytes,
				struct bl_bundle_files *out_files,
				struct bl_error *err);

/*
 * Appends files as a .tar.gz: names with "/" in front, mode 0600, no times and
 * no owners, so that the same files are the same bytes.
 */
enum bl_status bl_bundle_pack(const struct bl_bundle_file *files, size_t count,
			      struct bl_buf *out, struct bl_error *err);

/* Appends any text, packed by gzip alone. */
enum bl_status bl_bundle_gzip(struct bl_str text, struct bl_buf *out,
			      struct bl_error *err);

/* ---- bundles (bundle/read.c, folder.c, manifest.c) --------------------------- */

enum { BL_BUNDLE_NO_VERSION = -1 };

struct bl_bundle_manifest {
	struct bl_str revision;
	struct bl_str *roots; /* no "/" at either end; {""} when not given */
	size_t root_count;
	int rego_version;                   /* 0, 1, BL_BUNDLE_NO_VERSION */
	struct bl_value file_rego_versions; /* object of globs, or undefined */
	struct bl_value metadata;           /* object, or undefined */
	struct bl_value wasm;               /* array, or undefined */
};

struct bl_bundle_module {
	struct bl_str shown; /* "a/x/p.rego" of folder a, else the archive's */
	struct bl_str url;   /* the same behind the name of the bundle */
	struct bl_str text;
	bool v0;
	struct bl_value package; /* array of names, without "data" */
};

/* A file that is not a module: its path and how it is shown. */
struct bl_bundle_entry {
	struct bl_str path;
	struct bl_str shown;
	struct bl_str url;
};

struct bl_bundle {
	struct bl_str name; /* the path that it was read from */
	struct bl_bundle_manifest manifest;
	struct bl_value data; /* an object */
	struct bl_bundle_module *modules;
	size_t module_count;
	struct bl_bundle_entry *data_files;
	size_t data_file_count;
	struct bl_bundle_entry *wasm_files;
	size_t wasm_file_count;
	struct bl_value plan;       /* undefined: absent */
	struct bl_value signatures; /* of .signatures.json, or undefined */
};

/* How the signature of a bundle is checked (bundle/verify.c). */
struct bl_bundle_verification {
	struct bl_rego_key key;
	struct bl_str scope;           /* that the signature must name */
	const struct bl_str *excluded; /* patterns of files left unchecked */
	size_t excluded_count;
};

/* All zero: as OPA does without flags. */
struct bl_bundle_options {
	bool list_data;   /* data files are listed, but not read */
	bool skip_verify; /* signatures do not count */
	bool v0;          /* modules of which no manifest says the version */
	/*
	 * NULL: none is expected, and a signed bundle is refused.  Else an
	 * unsigned bundle is, too.
	 */
	const struct bl_bundle_verification *verification;
	const struct bl_str *ignored; /* patterns of names, left out */
	size_t ignored_count;
};

/*
 * Reads the folder or archive at path; options may be NULL.  INVALID and SYNTAX
 * with messages that begin with "bundle PATH: "; UNSUPPORTED: a delta, or
 * protobuf files; LIMIT.  The packages of modules and the data must be below
 * the roots.
 *
 * A signature covers every file but .signatures.json: what is not in it, what
 * is missing, and what has another digest is INVALID.
 */
enum bl_status bl_bundle_read(struct bl_arena *arena, struct bl_str path,
			      const struct bl_bundle_options *options,
			      struct bl_bundle *out_bundle,
			      struct bl_error *err);

/* Does a pattern of the options fit a name on the way to the file? */
bool bl_bundle_is_ignored(struct bl_arena *arena,
			  const struct bl_bundle_options *options,
			  struct bl_str path);

/* ---- signatures (bundle/sign.c) ------------------------------------------- */

struct bl_bundle_signing {
	struct bl_rego_key key;
	struct bl_str key_id;   /* "": none */
	struct bl_value claims; /* to add, an object; undefined: none */
};

/*
 * The files of the bundle at path that a signature covers, by the names that
 * it has for them; they are not looked into.
 */
enum bl_status bl_bundle_list(struct bl_arena *arena, struct bl_str path,
			      const struct bl_bundle_options *options,
			      struct bl_bundle_files *out_files,
			      struct bl_error *err);

/*
 * The text of .signatures.json for files, in arena.  SYNTAX: data that cannot
 * be read; INVALID: no such algorithm, or a key that does not fit.
 */
enum bl_status bl_bundle_sign(struct bl_arena *arena,
			      const struct bl_bundle_file *files, size_t count,
			      const struct bl_bundle_signing *how,
			      struct bl_str *out_text, struct bl_error *err);

/* The manifest as JSON has it, with the members that it has. */
struct bl_value
bl_bundle_manifest_value(struct bl_arena *arena,
			 const struct bl_bundle_manifest *manifest);

/* "data.x.y" or "data.x[\"a b\"]" of an array of names. */
struct bl_str bl_bundle_path_text(struct bl_arena *arena, const char *first,
				  struct bl_value names);

/* ---- several bundles (bundle/join.c) -------------------------------------- */

struct bl_bundle_joined {
	struct bl_rego_source *sources; /* file is the module's url */
	size_t source_count;
	struct bl_value data; /* an object */
	struct bl_value plan; /* undefined when there are sources, or no plan */
};

/*
 * Joins bundles.  INVALID: their roots overlap, or plans do not go
 * together with other policies; UNSUPPORTED: one has its policies as
 * WebAssembly only.
 */
enum bl_status bl_bundle_join(struct bl_arena *arena,
			      const struct bl_bundle *bundles, size_t count,
			      struct bl_bundle_joined *out_joined,
			      struct bl_error *err);

/* Two documents as one, the members of objects merged; INVALID: a conflict. */
enum bl_status bl_bundle_merge(struct bl_arena *arena, struct bl_value a,
			       struct bl_value b, struct bl_value *out_value,
			       struct bl_error *err);

#endif
