/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare PRINTED COMMITTED: our filters of system calls decide as filters that
 * libseccomp makes of the same rules, for every number and the arguments that
 * matter; and the committed file is what tools/gen-seccomp prints.
 */
#include "tap.h"

#include <errno.h>
#include <seccomp.h>
#include <stdlib.h>
#include <unistd.h>

#include "sandbox/filters.h"

enum {
	NEWEST = 452,
	TRIED = 1024,
	MAX_INSNS = 4096,
	NAMESPACE_BITS = 7,
};

static const char *paths[2];

/* ---- a kernel's view: struct seccomp_data and its machine ---------------- */

struct call {
	uint32_t number;
	uint32_t arch;
	uint64_t at;
	uint64_t arguments[6];
};

/* Only what the two makers use. */
static uint32_t decide(const struct bl_bpf_insn *insns, size_t count,
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
			return 0xffffffff;
		}
		i += jumps ? insn->jump_true : insn->jump_false;
	}
	return 0xffffffff;
}

/* ---- the same rules by libseccomp ----------------------------------------- */

enum rule { DENY, MISSING, FLAGS, FAMILY, TERMINAL, IPC, MODES };

static const struct {
	const char *name;
	enum rule rule;
} rows[] = {
#define SYSCALL(name, rule) { #name, rule },
#include "sandbox/syscalls.def"
#undef SYSCALL
};

static int problems;

static void need(int result)
{
	if (result)
		problems++;
}

static void add_family(scmp_filter_ctx filter, int number, unsigned allows)
{
	static const struct {
		unsigned need;
		uint64_t family;
	} families[] = {
		{ BL_FILTER_UNIX, 1 },
		{ BL_FILTER_INET, 2 },
		{ BL_FILTER_INET, 10 },
		{ BL_FILTER_INET, 16 },
	};

	for (size_t i = 0; i < BL_COUNT(families); i++) {
		struct scmp_arg_cmp same = SCMP_A0(
			SCMP_CMP_MASKED_EQ, 0xffffffff, families[i].family);

		if (!(allows & families[i].need))
			continue;
		need(seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, 1,
					    &same));
	}
}

static void add_terminal(scmp_filter_ctx filter, int number)
{
	static const uint64_t refused[] = { 0x5412, 0x541c };

	for (size_t i = 0; i < BL_COUNT(refused); i++)
		need(seccomp_rule_add(
			filter, SCMP_ACT_ERRNO(EPERM), number, 1,
			SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, refused[i])));
}

static void add_flags(scmp_filter_ctx filter, int number)
{
	static const uint64_t flags[NAMESPACE_BITS] = {
		0x00020000, 0x02000000, 0x04000000, 0x08000000,
		0x10000000, 0x20000000, 0x40000000,
	};

	for (size_t i = 0; i < NAMESPACE_BITS; i++)
		need(seccomp_rule_add(
			filter, SCMP_ACT_ERRNO(EPERM), number, 1,
			SCMP_A0(SCMP_CMP_MASKED_EQ, flags[i], flags[i])));
}

/*
 * libseccomp has one action for what no rule is about, so the calls that are
 * decided by arguments get filters of their own: what falls through there has
 * another meaning.
 */
static uint32_t fallback_of(enum rule rule)
{
	return rule == FAMILY ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_ALLOW;
}

static bool rule_of(const char *name, enum rule *out_rule)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		if (strcmp(rows[i].name, name) != 0)
			continue;
		*out_rule = rows[i].rule;
		return true;
	}
	return false;
}

static scmp_filter_ctx begin(uint32_t action)
{
	scmp_filter_ctx filter = seccomp_init(action);

	seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
			 SCMP_ACT_KILL_PROCESS);
	return filter;
}

/* The program of a filter, which is released. */
static size_t export(scmp_filter_ctx filter, struct bl_bpf_insn *insns)
{
	FILE *file = tmpfile();
	size_t count = 0;

	if (file && !seccomp_export_bpf(filter, fileno(file))) {
		rewind(file);
		count = fread(insns, sizeof(*insns), MAX_INSNS, file);
	}
	if (file)
		fclose(file);
	seccomp_release(filter);
	return count;
}

static struct bl_bpf_insn plain[MAX_INSNS];
static size_t plain_count;
static struct {
	int number;
	struct bl_bpf_insn insns[256];
	size_t count;
} special[8];
static size_t special_count;

static void make_special(int number, enum rule rule, unsigned allows)
{
	static struct bl_bpf_insn insns[MAX_INSNS];
	scmp_filter_ctx filter = begin(fallback_of(rule));

	if (rule == FAMILY)
		add_family(filter, number, allows);
	else if (rule == FLAGS)
		add_flags(filter, number);
	else
		add_terminal(filter, number);
	special[special_count].number = number;
	special[special_count].count = export(filter, insns);
	memcpy(special[special_count].insns, insns,
	       sizeof(special[special_count].insns));
	special_count++;
}

static void add_number(scmp_filter_ctx filter, int number, unsigned allows)
{
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
	enum rule rule;

	if (!name)
		return;
	if (!rule_of(name, &rule) || (rule == IPC && allows & BL_FILTER_IPC) ||
	    (rule == MODES && allows & BL_FILTER_MODES))
		need(seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0));
	else if (rule == DENY || rule == IPC || rule == MODES)
		need(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number,
				      0));
	else if (rule != MISSING)
		make_special(number, rule, allows);
	free(name);
}

static void make(unsigned allows)
{
	scmp_filter_ctx filter = begin(SCMP_ACT_ERRNO(ENOSYS));

	problems = 0;
	special_count = 0;
	for (int number = 0; number <= NEWEST; number++)
		add_number(filter, number, allows);
	plain_count = export(filter, plain);
	CHECK_INT(problems, 0);
	CHECK(plain_count > 100);
	CHECK_INT(special_count, 3);
}

static uint32_t expected(const struct call *call)
{
	for (size_t i = 0; i < special_count; i++) {
		if (special[i].number == (int)call->number)
			return decide(special[i].insns, special[i].count, call);
	}
	return decide(plain, plain_count, call);
}

/* ---- the comparison ------------------------------------------------------- */

static const uint64_t arguments[] = {
	0,          1,           2,           3,          10,
	16,         17,          38,          0x5401,     0x5412,
	0x541c,     0x100005412, 0x00020000,  0x02000011, 0x04000000,
	0x08000000, 0x10000000,  0x20000000,  0x40000000, 0x7c020011,
	0x01200011, 0x4111,      0x100000001, UINT64_MAX,
};

static void compare(unsigned allows)
{
	const struct bl_bpf_program *ours = &bl_filters[allows];
	struct call call = { .arch = seccomp_arch_native() };
	size_t differences = 0;

	make(allows);
	for (call.number = 0; call.number < TRIED; call.number++) {
		for (size_t i = 0; i < BL_COUNT(arguments); i++) {
			uint32_t want, got;

			call.arguments[0] = call.arguments[1] = arguments[i];
			want = expected(&call);
			got = decide(ours->insns, ours->len, &call);
			if (want == got || differences++ > 5)
				continue;
			TAP_NOTE("%u(%llx): %x, libseccomp %x", call.number,
				 (unsigned long long)arguments[i], got, want);
		}
	}
	CHECK_INT(differences, 0);
	call.arch ^= 1;
	call.number = 0;
	CHECK_INT(decide(ours->insns, ours->len, &call), SCMP_ACT_KILL_PROCESS);
	call.arch ^= 1;
	call.number = 0x40000000; /* x32 */
	CHECK(decide(ours->insns, ours->len, &call) != SCMP_ACT_ALLOW);
}

static void decisions(void)
{
	for (unsigned allows = 0; allows < BL_FILTER_COUNT; allows++)
		compare(allows);
}

static void committed(void)
{
	static char text[2][256 * 1024];
	size_t len[2] = { 0, 0 };

	for (int i = 0; i < 2; i++) {
		FILE *file = fopen(paths[i], "r");

		REQUIRE(file);
		len[i] = fread(text[i], 1, sizeof(text[i]), file);
		fclose(file);
	}
	CHECK(len[0] > 1000 && len[0] < sizeof(text[0]));
	CHECK_INT(len[1], len[0]);
	CHECK(!memcmp(text[0], text[1], len[0]));
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 1;
	paths[0] = argv[1];
	paths[1] = argv[2];
	RUN(decisions);
	RUN(committed);
	return tap_end();
}
