/* SPDX-License-Identifier: Apache-2.0 */
/* rego/bundle/private.h: what the files of this module share. */
#ifndef BELAY_REGO_BUNDLE_PRIVATE_H
#define BELAY_REGO_BUNDLE_PRIVATE_H

#include "rego/bundle/bundle.h"

/* ---- lists and names (bundle/files.c) ------------------------------------ */

/*
 * Adds a file by the name that it was found under; the name and the text are
 * borrowed.  INVALID: a name that no bundle may have; LIMIT.
 */
enum bl_status bundle_add_file(struct bl_arena *arena,
			       struct bl_bundle_files *files,
			       struct bl_str name, struct bl_str text,
			       struct bl_error *err);

/* INVALID when two files have one path. */
enum bl_status bundle_check_unique(struct bl_arena *arena,
				   const struct bl_bundle_files *files,
				   struct bl_error *err);

/* ---- folders (bundle/folder.c) -------------------------------------------- */

/*
 * The files of a folder; without all, only those that a bundle reads, and only
 * the texts that count.  Links are left out, as OPA does.
 */
enum bl_status bundle_read_folder(struct bl_arena *arena, struct bl_str folder,
				  const struct bl_bundle_options *options,
				  bool all, struct bl_bundle_files *out_files,
				  struct bl_error *err);

/* Does the pattern, as of Go's filepath.Match, fit all of name? */
bool bundle_match(struct bl_arena *arena, struct bl_str pattern,
		  struct bl_str name);

/* ---- what files are (bundle/read.c) ---------------------------------------- */

enum bundle_use {
	BUNDLE_UNUSED,
	BUNDLE_LISTED, /* its name counts */
	BUNDLE_READ,   /* its text, too */
};

enum bundle_use bundle_use_of(struct bl_str path);

/* "a" of the folder "./a/": how its files are shown. */
struct bl_str bundle_clean_name(struct bl_str path);

/* Reads folder or archive. */
enum bl_status bundle_read_files(struct bl_arena *arena, struct bl_str path,
				 const struct bl_bundle_options *options,
				 bool all, struct bl_bundle_files *out_files,
				 struct bl_error *err);

/* ---- signatures (bundle/verify.c, bundle/sign.c) ---------------------------- */

#define BUNDLE_SIGNATURES ".signatures.json"

/*
 * Appends the digest of a file: of data and manifests that of what they mean,
 * of others that of their bytes.
 */
enum bl_status bundle_digest(struct bl_arena *arena, struct bl_str algorithm,
			     struct bl_str path, struct bl_str text,
			     struct bl_buf *out_hex, struct bl_error *err);

/* The name of a file in signatures; name is that of the folder, or empty. */
struct bl_str bundle_signed_name(struct bl_arena *arena, struct bl_str name,
				 struct bl_str path);

/* signatures is undefined when there is no file of them. */
enum bl_status bundle_verify(struct bl_arena *arena,
			     const struct bl_bundle_verification *how,
			     struct bl_value signatures, struct bl_str name,
			     const struct bl_bundle_files *files,
			     struct bl_error *err);

/* ---- tar (bundle/tar.c) -------------------------------------------------- */

enum { TAR_BLOCK = 512 };

struct tar_header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[6]; /* "ustar" and NUL; "ustar " of GNU */
	char version[2];
	char user[32];
	char group[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char rest[12];
};

/* The sum of a header's bytes, its checksum being blanks. */
uint32_t bundle_tar_checksum(const struct tar_header *header);

/* The files of an archive; texts borrow it. */
enum bl_status bundle_read_tar(struct bl_arena *arena, struct bl_str tar,
			       struct bl_bundle_files *out_files,
			       struct bl_error *err);

/* ---- manifests (bundle/manifest.c) --------------------------------------- */

/* The defaults without a manifest. */
enum bl_status bundle_default_manifest(struct bl_arena *arena,
				       struct bl_bundle_manifest *out_manifest,
				       struct bl_error *err);

enum bl_status bundle_read_manifest(struct bl_arena *arena, struct bl_str text,
				    struct bl_bundle_manifest *out_manifest,
				    struct bl_error *err);

/* The version of a module by its name in the bundle: 0, 1, NO_VERSION. */
enum bl_status bundle_module_version(struct bl_arena *arena,
				     const struct bl_bundle_manifest *manifest,
				     struct bl_str path, int *out_version,
				     struct bl_error *err);

/* ---- roots (bundle/roots.c) ---------------------------------------------- */

/* Does root ("a/b", "" for all) contain the path? */
bool bundle_root_contains(struct bl_str root, struct bl_str path);

/* INVALID when roots of one manifest overlap. */
enum bl_status bundle_check_own_roots(const struct bl_bundle_manifest *manifest,
				      struct bl_error *err);

/* INVALID when a package or a piece of data is not below the roots. */
enum bl_status bundle_check_content(struct bl_arena *arena,
				    const struct bl_bundle *bundle,
				    struct bl_error *err);

/* INVALID when the roots of two bundles overlap. */
enum bl_status bundle_check_roots(struct bl_arena *arena,
				  const struct bl_bundle *bundles, size_t count,
				  struct bl_error *err);

#endif
