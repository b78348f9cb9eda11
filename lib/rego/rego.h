/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/rego.h: the policy language: Rego v1
 * (docs/contracts/rego.md).  The one header for those outside
 * of lib/rego; each part has a header of its own, which is its manual:
 *
 *   runtime/    evaluating compiled policies, images
 *   compiler/   parsing, checking and compiling
 *   partial/    what is left of a query when something is not known
 *   builtins/   the functions that policies may call
 *   tools/      format, syntax trees, explanations, plans
 *   bundle/     OPA's bundles (rego/bundle/bundle.h, included by its users)
 */
#ifndef BELAY_REGO_REGO_H
#define BELAY_REGO_REGO_H

#include "rego/builtins/external/external.h"
#include "rego/compiler/compiler.h"
#include "rego/partial/partial.h"
#include "rego/runtime/runtime.h"
#include "rego/tools/tools.h"

#endif
