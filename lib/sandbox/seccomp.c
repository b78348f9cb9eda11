/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the table of system calls to a program for the kernel (classic BPF).
 * Apart from the plan, since it is a compiler of its own with an oracle of its
 * own, and from the step that installs it, which runs in the child.
 *
 * The program is a binary tree over ranges of numbers with the same rule.  The
 * kernel runs a filter once for every number when it is installed, and its
 * length is what a start pays for; so each node is one instruction that jumps
 * to the next node or to the end of the decision, and all nodes share the ends.
 *
 * Jumps only lead forward, so the program is written from its end to its
 * beginning: what an instruction jumps to has its place already.  Numbers 0
 * and 1 allowed, 2 refused, 3 and above unknown are, in the order of writing:
 *
 *	8: return ENOSYS
 *	7: return EPERM
 *	6: return ALLOW
 *	5: number >= 3?  to 8, else to 7
 *	4: number >= 2?  to 5, else to 6
 *	3: load the number
 *	2: return KILL
 *	1: our architecture?  to 3, else to 2
 *	0: load the architecture
 */
#include "sandbox/seccomp.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum {
	NEWEST = 452, /* fchmodat2: what comes after it is not known here */
	NUMBERS = NEWEST + 1,
	INSNS_MAX = 256,
	JUMP_MAX = 255,
	CHECKS_MAX = 5, /* of a rule */
	NONE = -1,      /* an architecture does not have the call */
};

/* struct seccomp_data, little endian */
enum { AT_NUMBER = 0, AT_ARCHITECTURE = 4, AT_ARGUMENTS = 16 };

#define REFUSED(error) ((uint32_t)BL_SECCOMP_RET_ERRNO | (uint32_t)(error))

/* ---- rules ---------------------------------------------------------- */

/* The test of the low half of an argument; the kernel drops the high one. */
enum question {
	END, /* no further check: allowed */
	REFUSE_BITS,
	REFUSE_EQUAL,
	REFUSE_OTHER,
	ALLOW_EQUAL,
	ALLOW_WITHOUT_BITS,
	REFUSE_REST,
};

struct check {
	enum question question;
	unsigned argument;
	uint32_t value;
	unsigned needs; /* the check is there in variants with one of these */
};

enum rule {
	ALLOW,
	DENY,
	MISSING,
	FLAGS,
	FAMILY,
	TERMINAL,
	IPC,
	MODES,
	SELF,
	PRIORITY,
	IO_PRIORITY,
	MODE_1,
	MODE_2,
	MAKE_1,
	MAKE_2,
	CREATE_2,
	CREATE_3,
	RULES
};

enum {
	NAMESPACE_FLAGS = 0x7e020000, /* CLONE_NEW* */
	TERMINAL_INSERT = 0x5412,     /* TIOCSTI */
	TERMINAL_LINUX = 0x541c,      /* TIOCLINUX */
	FAMILY_UNIX = 1,
	FAMILY_INET = 2,
	FAMILY_INET6 = 10,
	FAMILY_NETLINK = 16,
	SOCKETS = BL_SECCOMP_UNIX | BL_SECCOMP_INET,
	PRIO_OF_PROCESS = 0,
	IOPRIO_OF_PROCESS = 1,
	SET_ID = 06000,       /* S_ISUID | S_ISGID */
	NEW_FILE = 020000100, /* O_CREAT, and O_TMPFILE without O_DIRECTORY */
};

static const struct {
	unsigned needs; /* DENY in variants that lack these; 0: any */
	unsigned frees; /* ALLOW in variants that have one of these */
	struct check checks[CHECKS_MAX + 1]; /* ended by END */
} rules[RULES] = {
	[FLAGS] = { .checks = { { REFUSE_BITS, 0, NAMESPACE_FLAGS, 0 } } },
	[FAMILY] = { SOCKETS,
		     0,
		     { { ALLOW_EQUAL, 0, FAMILY_UNIX, BL_SECCOMP_UNIX },
		       { ALLOW_EQUAL, 0, FAMILY_INET, BL_SECCOMP_INET },
		       { ALLOW_EQUAL, 0, FAMILY_INET6, BL_SECCOMP_INET },
		       { ALLOW_EQUAL, 0, FAMILY_NETLINK, BL_SECCOMP_INET },
		       { REFUSE_REST, 0, 0, 0 } } },
	[TERMINAL] = { .checks = { { REFUSE_EQUAL, 1, TERMINAL_INSERT, 0 },
				   { REFUSE_EQUAL, 1, TERMINAL_LINUX, 0 } } },
	[IPC] = { .needs = BL_SECCOMP_IPC },
	[MODES] = { .needs = BL_SECCOMP_MODES },
	[SELF] = { .frees = BL_SECCOMP_PROCESSES,
		   .checks = { { REFUSE_OTHER, 0, 0, 0 } } },
	[PRIORITY] = { .frees = BL_SECCOMP_PROCESSES,
		       .checks = { { REFUSE_OTHER, 0, PRIO_OF_PROCESS, 0 },
				   { REFUSE_OTHER, 1, 0, 0 } } },
	[IO_PRIORITY] = { .frees = BL_SECCOMP_PROCESSES,
			  .checks = { { REFUSE_OTHER, 0, IOPRIO_OF_PROCESS, 0 },
				      { REFUSE_OTHER, 1, 0, 0 } } },
	[MODE_1] = { .needs = BL_SECCOMP_MODES,
		     .checks = { { REFUSE_BITS, 1, SET_ID, 0 } } },
	[MODE_2] = { .needs = BL_SECCOMP_MODES,
		     .checks = { { REFUSE_BITS, 2, SET_ID, 0 } } },
	[MAKE_1] = { .checks = { { REFUSE_BITS, 1, SET_ID, 0 } } },
	[MAKE_2] = { .checks = { { REFUSE_BITS, 2, SET_ID, 0 } } },
	[CREATE_2] = { .checks = { { ALLOW_WITHOUT_BITS, 1, NEW_FILE, 0 },
				   { REFUSE_BITS, 2, SET_ID, 0 } } },
	[CREATE_3] = { .checks = { { ALLOW_WITHOUT_BITS, 2, NEW_FILE, 0 },
				   { REFUSE_BITS, 3, SET_ID, 0 } } },
};

/* ---- the table ------------------------------------------------------ */

static const uint32_t tokens[BL_SECCOMP_ARCHITECTURES] = {
	[BL_SECCOMP_X86_64] = 0xc000003e,  /* AUDIT_ARCH_X86_64 */
	[BL_SECCOMP_AARCH64] = 0xc00000b7, /* AUDIT_ARCH_AARCH64 */
};

static const struct {
	int16_t numbers[BL_SECCOMP_ARCHITECTURES];
	uint8_t rule;
} calls[] = {
#define SYSCALL(name, x86_64, aarch64, rule) { { x86_64, aarch64 }, rule },
#define UNUSED(architecture, first, last)
#include "sandbox/syscalls.def"
#undef UNUSED
#undef SYSCALL
};

static const struct {
	enum bl_seccomp_architecture architecture;
	int16_t first, last;
} unused[] = {
#define SYSCALL(name, x86_64, aarch64, rule)
#define UNUSED(architecture, first, last)                                      \
	{ BL_SECCOMP_##architecture, first, last },
#include "sandbox/syscalls.def"
#undef UNUSED
#undef SYSCALL
};

/* ---- making --------------------------------------------------------- */

/* Numbers from first to that of the next range. */
struct range {
	uint16_t first;
	uint8_t rule;
};

struct builder {
	struct bl_bpf_insn insns[INSNS_MAX]; /* filled from the end */
	size_t at;                           /* of the last one written */
	bool is_too_long;
	unsigned allows;
	size_t allowed, refused; /* places of these two ends */
	size_t decisions
		[RULES]; /* where a rule's instructions begin; 0: none */
	struct range ranges[NUMBERS + 1];
	size_t range_count;
};

/* The place of a jump that leads on to here. */
static size_t put(struct builder *b, int code, uint32_t k)
{
	if (!b->at) {
		b->is_too_long = true;
		return 0;
	}
	b->insns[--b->at] = (struct bl_bpf_insn){ (uint16_t)code, 0, 0, k };
	return b->at;
}

static size_t put_jump(struct builder *b, int code, uint32_t k, size_t if_true,
		       size_t if_false)
{
	size_t at = put(b, code, k);
	size_t far = if_true > if_false ? if_true : if_false;

	if (b->is_too_long || far - at - 1 > JUMP_MAX) {
		b->is_too_long = true;
		return at;
	}
	b->insns[at].jump_true = (uint8_t)(if_true - at - 1);
	b->insns[at].jump_false = (uint8_t)(if_false - at - 1);
	return at;
}

static size_t put_check(struct builder *b, const struct check *check,
			size_t next)
{
	switch (check->question) {
	case REFUSE_BITS:
		return put_jump(b, BL_BPF_ANY_BIT, check->value, b->refused,
				next);
	case REFUSE_EQUAL:
		return put_jump(b, BL_BPF_EQUAL, check->value, b->refused,
				next);
	case REFUSE_OTHER:
		return put_jump(b, BL_BPF_EQUAL, check->value, next,
				b->refused);
	case ALLOW_WITHOUT_BITS:
		return put_jump(b, BL_BPF_ANY_BIT, check->value, next,
				b->allowed);
	case ALLOW_EQUAL:
		return put_jump(b, BL_BPF_EQUAL, check->value, b->allowed,
				next);
	case REFUSE_REST:
		return b->refused;
	case END:
		break;
	}
	return b->allowed;
}

/* Where the decision by a rule begins; its checks are written when first used. */
static size_t put_decision(struct builder *b, enum rule rule)
{
	const struct check *checks[CHECKS_MAX + 1];
	size_t next = b->allowed;
	size_t count = 0;

	if (b->decisions[rule])
		return b->decisions[rule];
	for (const struct check *c = rules[rule].checks; c->question; c++) {
		if (!c->needs || c->needs & b->allows)
			checks[count++] = c;
	}
	for (size_t i = count; i-- > 0;) {
		next = put_check(b, checks[i], next);
		if (!i || checks[i - 1]->argument != checks[i]->argument)
			next = put(b, BL_BPF_LOAD,
				   AT_ARGUMENTS + 8 * checks[i]->argument);
	}
	b->decisions[rule] = next;
	return next;
}

static size_t put_tree(struct builder *b, size_t first, size_t last)
{
	size_t middle = first + (last - first + 1) / 2;
	size_t below, above;

	if (first == last)
		return put_decision(b, (enum rule)b->ranges[first].rule);
	above = put_tree(b, middle, last);
	below = put_tree(b, first, middle - 1);
	return put_jump(b, BL_BPF_NOT_LESS, b->ranges[middle].first, above,
			below);
}

/* A rule that decides nothing in this variant is plain, so that ranges join. */
static enum rule simplify(enum rule rule, unsigned allows)
{
	if (rules[rule].needs && !(rules[rule].needs & allows))
		return DENY;
	if (rule > MISSING && rule < BL_COUNT(rules) &&
	    (rules[rule].frees & allows || !rules[rule].checks[0].question))
		return ALLOW;
	return rule;
}

static void find_ranges(struct builder *b,
			enum bl_seccomp_architecture architecture)
{
	uint8_t by_number[NUMBERS + 1] = { ALLOW };

	for (size_t i = 0; i < BL_COUNT(calls); i++) {
		int number = calls[i].numbers[architecture];

		if (number != NONE)
			by_number[number] = calls[i].rule;
	}
	for (size_t i = 0; i < BL_COUNT(unused); i++) {
		if (unused[i].architecture == architecture)
			memset(by_number + unused[i].first, MISSING,
			       (size_t)(unused[i].last - unused[i].first) + 1);
	}
	by_number[NUMBERS] = MISSING;
	for (size_t number = 0; number <= NUMBERS; number++) {
		enum rule rule =
			simplify((enum rule)by_number[number], b->allows);

		if (!number || b->ranges[b->range_count - 1].rule != rule)
			b->ranges[b->range_count++] =
				(struct range){ (uint16_t)number,
						(uint8_t)rule };
	}
}

static void write_program(struct builder *b,
			  enum bl_seccomp_architecture architecture)
{
	size_t kill, start;

	b->decisions[MISSING] = put(b, BL_BPF_RETURN, REFUSED(ENOSYS));
	b->decisions[DENY] = put(b, BL_BPF_RETURN, REFUSED(EPERM));
	b->decisions[ALLOW] = put(b, BL_BPF_RETURN, BL_SECCOMP_RET_ALLOW);
	b->refused = b->decisions[DENY];
	b->allowed = b->decisions[ALLOW];
	put_tree(b, 0, b->range_count - 1);
	start = put(b, BL_BPF_LOAD, AT_NUMBER);
	kill = put(b, BL_BPF_RETURN, (uint32_t)BL_SECCOMP_RET_KILL);
	put_jump(b, BL_BPF_EQUAL, tokens[architecture], start, kill);
	put(b, BL_BPF_LOAD, AT_ARCHITECTURE);
}

const struct bl_bpf_program *
bl_seccomp_make(enum bl_seccomp_architecture architecture, unsigned allows,
		struct bl_arena *arena)
{
	struct builder b = { .at = INSNS_MAX, .allows = allows };
	struct bl_bpf_program *program;
	struct bl_bpf_insn *insns;
	size_t count;

	find_ranges(&b, architecture);
	write_program(&b, architecture);
	count = INSNS_MAX - b.at;
	program = bl_arena_new(arena, struct bl_bpf_program);
	insns = bl_arena_new_array(arena, struct bl_bpf_insn, count);
	if (b.is_too_long || !program || !insns)
		return NULL;
	memcpy(insns, b.insns + b.at, count * sizeof(*insns));
	*program = (struct bl_bpf_program){ (uint16_t)count, insns };
	return program;
}

enum bl_seccomp_architecture bl_seccomp_native(void)
{
#if defined(__x86_64__) && !defined(__ILP32__)
	return BL_SECCOMP_X86_64;
#elif defined(__aarch64__) && !defined(__ILP32__)
	return BL_SECCOMP_AARCH64;
#else
	return BL_SECCOMP_ARCHITECTURES;
#endif
}
