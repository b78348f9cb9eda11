/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's view of a filter: struct seccomp_data, and the machine for it. */
#ifndef BELAY_TESTS_SANDBOX_BPF_H
#define BELAY_TESTS_SANDBOX_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/linux_abi.h"

enum { NO_DECISION = -1 };

/* AUDIT_ARCH_* of <linux/audit.h> */
#if defined(__x86_64__)
#	define NATIVE_TOKEN 0xc000003eU
#else
#	define NATIVE_TOKEN 0xc00000b7U
#endif

struct call {
	uint32_t number;
	uint32_t arch;
	uint64_t at;
	uint64_t arguments[6];
};

/* The instructions that libseccomp and we use; NO_DECISION for others. */
static inline uint32_t decide(const struct bl_bpf_insn *insns, size_t count,
			      const struct call *call)
{
	uint32_t a = 0;

	for (size_t i = 0; i < count; i++) {
		const struct bl_bpf_insn *insn = &insns[i];
		bool jumps = false;

		switch (insn->code) {
		case 0x20: /* load */
			memcpy(&a, (const char *)call + insn->k, sizeof(a));
			continue;
		case 0x54: /* and */
			a &= insn->k;
			continue;
		case 0x06: /* return */
			return insn->k;
		case 0x05: /* jump */
			i += insn->k;
			continue;
		case 0x15:
			jumps = a == insn->k;
			break;
		case 0x25:
			jumps = a > insn->k;
			break;
		case 0x35:
			jumps = a >= insn->k;
			break;
		case 0x45:
			jumps = (a & insn->k) != 0;
			break;
		default:
			printf("# unknown instruction %x\n", insn->code);
			return (uint32_t)NO_DECISION;
		}
		i += jumps ? insn->jump_true : insn->jump_false;
	}
	return (uint32_t)NO_DECISION;
}

#endif
