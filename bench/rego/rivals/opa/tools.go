//go:build tools

// SPDX-License-Identifier: Apache-2.0

// Keeps what the opa program needs among the pinned modules.
package main

import _ "github.com/open-policy-agent/opa/cmd"
