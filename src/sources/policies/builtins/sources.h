/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources/policies/builtins/sources.h: the policies and libraries that belay
 * brings.  Each is a Rego file in this folder; the build makes a constant of
 * it (tools/embed-text), and belay compiles it with the user's own.
 */
#ifndef BELAY_SOURCES_POLICIES_BUILTINS_SOURCES_H
#define BELAY_SOURCES_POLICIES_BUILTINS_SOURCES_H

extern const char policy_source_always_inject[];
extern const char policy_source_git_pre_check[];
extern const char policy_source_post_edit_check[];
extern const char policy_source_guardrails[];
extern const char policy_source_protected_paths[];
extern const char policy_source_git_no_verify[];
extern const char policy_source_full_read[];
extern const char policy_source_system[];
extern const char policy_source_sensitive[];
extern const char policy_source_exec[];
extern const char policy_source_commands[];
/* Those sources under Cupcake's name for global policies: made by meson. */
extern const char policy_source_global_commands[];
extern const char policy_source_paths[];
extern const char policy_source_shell[];

#endif
