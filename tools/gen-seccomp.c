/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools/gen-seccomp.c: prints lib/sandbox/filters.c.  Development time only;
 * tests/differential/seccomp builds it, and fails when the committed file is
 * not what it prints.
 *
 * Numbers of system calls come from libseccomp.  The program is a binary tree
 * over ranges of numbers with the same decision: the kernel runs it once for
 * every number when it is installed, which a list would make slow.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/filters.h"

enum {
	NEWEST = 452, /* fchmodat2 */
	MAX_INSNS = 1024,
	CODE_LOAD = 0x20,     /* BPF_LD | BPF_W | BPF_ABS */
	CODE_EQUAL = 0x15,    /* BPF_JMP | BPF_JEQ | BPF_K */
	CODE_NOT_LESS = 0x35, /* BPF_JMP | BPF_JGE | BPF_K */
	CODE_ANY_BIT = 0x45,  /* BPF_JMP | BPF_JSET | BPF_K */
	CODE_RETURN = 0x06,   /* BPF_RET | BPF_K */
	AT_NUMBER = 0,        /* struct seccomp_data, little endian */
	AT_ARCH = 4,
	AT_ARGUMENT = 16,
	NAMESPACE_FLAGS = 0x7e020000, /* CLONE_NEW* */
	TERMINAL_INSERT = 0x5412,     /* TIOCSTI */
	TERMINAL_LINUX = 0x541c,      /* TIOCLINUX */
};

enum rule { ALLOW, DENY, MISSING, FLAGS, FAMILY, TERMINAL, IPC, MODES };

static const struct {
	const char *name;
	enum rule rule;
} rows[] = {
#define SYSCALL(name, rule) { #name, rule },
#include "sandbox/syscalls.def"
#undef SYSCALL
};

static const struct {
	uint32_t token;
	const char *name;
	const char *macro;
} architectures[] = {
	{ SCMP_ARCH_X86_64, "x86_64", "__x86_64__" },
	{ SCMP_ARCH_AARCH64, "aarch64", "__aarch64__" },
};

struct range {
	uint32_t first;
	enum rule rule;
};

static struct range ranges[NEWEST + 2];
static size_t range_count;
static struct bl_bpf_insn insns[MAX_INSNS];
static size_t insn_count;

static void put(int code, uint32_t k, size_t jump_true, size_t jump_false)
{
	if (insn_count == MAX_INSNS || jump_true > 255 || jump_false > 255) {
		fputs("gen-seccomp: the filter is too long\n", stderr);
		exit(1);
	}
	insns[insn_count++] =
		(struct bl_bpf_insn){ (uint16_t)code, (uint8_t)jump_true,
				      (uint8_t)jump_false, k };
}

static void put_return(uint32_t value)
{
	put(CODE_RETURN, value, 0, 0);
}

#define REFUSE(error) (BL_SECCOMP_RET_ERRNO | (error))

/* Loads the low half of an argument, refuses the values, allows the rest. */
static void put_refused_values(int argument, const uint32_t *values,
			       size_t count)
{
	put(CODE_LOAD, (uint32_t)(AT_ARGUMENT + 8 * argument), 0, 0);
	for (size_t i = 0; i < count; i++)
		put(CODE_EQUAL, values[i], count - i, 0);
	put_return(BL_SECCOMP_RET_ALLOW);
	put_return(REFUSE(EPERM));
}

static void put_family(unsigned allows)
{
	enum { UNIX = 1, INET = 2, INET6 = 10, NETLINK = 16 };
	uint32_t families[4];
	size_t count = 0;

	if (allows & BL_FILTER_UNIX)
		families[count++] = UNIX;
	if (allows & BL_FILTER_INET) {
		families[count++] = INET;
		families[count++] = INET6;
		families[count++] = NETLINK;
	}
	if (!count) {
		put_return(REFUSE(EPERM));
		return;
	}
	put(CODE_LOAD, AT_ARGUMENT, 0, 0);
	for (size_t i = 0; i < count; i++)
		put(CODE_EQUAL, families[i], count - i, 0);
	put_return(REFUSE(EPERM));
	put_return(BL_SECCOMP_RET_ALLOW);
}

static void put_leaf(enum rule rule, unsigned allows)
{
	static const uint32_t terminal[] = { TERMINAL_INSERT, TERMINAL_LINUX };

	switch (rule) {
	case ALLOW:
		put_return(BL_SECCOMP_RET_ALLOW);
		break;
	case DENY:
		put_return(REFUSE(EPERM));
		break;
	case MISSING:
		put_return(REFUSE(ENOSYS));
		break;
	case FLAGS:
		put(CODE_LOAD, AT_ARGUMENT, 0, 0);
		put(CODE_ANY_BIT, NAMESPACE_FLAGS, 1, 0);
		put_return(BL_SECCOMP_RET_ALLOW);
		put_return(REFUSE(EPERM));
		break;
	case FAMILY:
		put_family(allows);
		break;
	case TERMINAL:
		put_refused_values(1, terminal, 2);
		break;
	case IPC:
	case MODES: /* not after simplify */
		break;
	}
}

static void put_tree(size_t first, size_t last, unsigned allows)
{
	size_t middle = first + (last - first + 1) / 2;
	size_t at = insn_count;

	if (first == last) {
		put_leaf(ranges[first].rule, allows);
		return;
	}
	put(CODE_NOT_LESS, ranges[middle].first, 0, 0);
	put_tree(first, middle - 1, allows);
	if (insn_count - at - 1 > 255) {
		fputs("gen-seccomp: a jump is too far\n", stderr);
		exit(1);
	}
	insns[at].jump_true = (uint8_t)(insn_count - at - 1);
	put_tree(middle, last, allows);
}

static enum rule rule_of(uint32_t token, int number)
{
	char *name = NULL;
	enum rule rule = ALLOW;

	if (number <= NEWEST)
		name = seccomp_syscall_resolve_num_arch(token, number);
	if (!name)
		return MISSING;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!strcmp(rows[i].name, name))
			rule = rows[i].rule;
	}
	free(name);
	return rule;
}

/* IPC is plain where it is allowed, so that ranges join. */
static enum rule simplify(enum rule rule, unsigned allows)
{
	if (rule == IPC)
		return allows & BL_FILTER_IPC ? ALLOW : DENY;
	if (rule == MODES)
		return allows & BL_FILTER_MODES ? ALLOW : DENY;
	if (rule == FAMILY && !(allows & (BL_FILTER_UNIX | BL_FILTER_INET)))
		return DENY;
	return rule;
}

static void make(uint32_t token, unsigned allows)
{
	range_count = insn_count = 0;
	for (int number = 0; number <= NEWEST + 1; number++) {
		enum rule rule = simplify(rule_of(token, number), allows);

		if (range_count && ranges[range_count - 1].rule == rule)
			continue;
		ranges[range_count++] =
			(struct range){ (uint32_t)number, rule };
	}
	put(CODE_LOAD, AT_ARCH, 0, 0);
	put(CODE_EQUAL, token, 1, 0);
	put_return((uint32_t)BL_SECCOMP_RET_KILL);
	put(CODE_LOAD, AT_NUMBER, 0, 0);
	put_tree(0, range_count - 1, allows);
}

static void print_program(unsigned allows)
{
	printf("static const struct bl_bpf_insn filter_%u[] = {\n", allows);
	for (size_t i = 0; i < insn_count; i++)
		printf("%s{ 0x%02x, %u, %u, 0x%x },%s", i % 3 ? " " : "\t",
		       (unsigned)insns[i].code, (unsigned)insns[i].jump_true,
		       (unsigned)insns[i].jump_false, insns[i].k,
		       i % 3 == 2 || i + 1 == insn_count ? "\n" : "");
	puts("};\n");
}

int main(void)
{
	puts("/* SPDX-License-Identifier: Apache-2.0 */\n"
	     "/* Made by tools/gen-seccomp.c from sandbox/syscalls.def. */\n"
	     "/* clang-format off */\n"
	     "#include \"sandbox/filters.h\"\n");
	for (size_t i = 0; i < 2; i++) {
		printf("#%s defined(%s)\n\n", i ? "elif" : "if",
		       architectures[i].macro);
		for (unsigned allows = 0; allows < BL_FILTER_COUNT; allows++) {
			make(architectures[i].token, allows);
			print_program(allows);
		}
	}
	puts("#endif\n\n"
	     "#define FILTER(i) { sizeof(filter_##i) / sizeof(filter_##i[0]), "
	     "filter_##i }\n\n"
	     "const struct bl_bpf_program bl_filters[BL_FILTER_COUNT] = {\n"
	     "#if defined(__x86_64__) || defined(__aarch64__)\n"
	     "\tFILTER(0), FILTER(1), FILTER(2), FILTER(3),\n"
	     "\tFILTER(4), FILTER(5), FILTER(6), FILTER(7),\n"
	     "\tFILTER(8), FILTER(9), FILTER(10), FILTER(11),\n"
	     "\tFILTER(12), FILTER(13), FILTER(14), FILTER(15),\n"
	     "#endif\n"
	     "};");
	return 0;
}
