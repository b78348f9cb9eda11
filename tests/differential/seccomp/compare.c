/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our filters of system calls decide as filters that libseccomp makes of the
 * same rules, for every architecture, every number and the arguments that
 * matter; and libseccomp knows the calls by the numbers in our table.
 */
#include "tap.h"

#include <errno.h>
#include <seccomp.h>
#include <stdlib.h>
#include <unistd.h>

#include "sandbox/bpf.h"
#include "sandbox/seccomp.h"

enum {
	NEWEST = 452,
	TRIED = 1024,
	MAX_INSNS = 4096,
};

static const uint32_t tokens[BL_SECCOMP_ARCHITECTURES] = {
	[BL_SECCOMP_X86_64] = SCMP_ARCH_X86_64,
	[BL_SECCOMP_AARCH64] = SCMP_ARCH_AARCH64,
};

static uint32_t token; /* of the architecture that is compared */

/* ---- the same rules by libseccomp ----------------------------------------- */

enum rule {
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
};

enum { NONE = -1 };

static const struct {
	const char *name;
	int numbers[BL_SECCOMP_ARCHITECTURES];
	enum rule rule;
} rows[] = {
#define SYSCALL(name, x86_64, aarch64, rule)                                   \
	{ #name, { x86_64, aarch64 }, rule },
#define UNUSED(architecture, first, last)
#include "sandbox/syscalls.def"
#undef UNUSED
#undef SYSCALL
};

static int problems;

static void need(int result)
{
	if (result)
		problems++;
}

/* An argument, as to these bits; the kernel drops the high half. */
static struct scmp_arg_cmp bits(unsigned argument, uint64_t mask,
				uint64_t value)
{
	return (struct scmp_arg_cmp){ argument, SCMP_CMP_MASKED_EQ, mask,
				      value };
}

static struct scmp_arg_cmp is(unsigned argument, uint64_t value)
{
	return bits(argument, 0xffffffff, value);
}

static void add(scmp_filter_ctx filter, uint32_t action, int call,
		struct scmp_arg_cmp first)
{
	need(seccomp_rule_add_array(filter, action, call, 1, &first));
}

static void add_both(scmp_filter_ctx filter, uint32_t action, int call,
		     struct scmp_arg_cmp first, struct scmp_arg_cmp second)
{
	const struct scmp_arg_cmp both[] = { first, second };

	need(seccomp_rule_add_array(filter, action, call, 2, both));
}

static void add_family(scmp_filter_ctx filter, int call, unsigned allows)
{
	static const struct {
		unsigned need;
		uint64_t family;
	} families[] = {
		{ BL_SECCOMP_UNIX, 1 },
		{ BL_SECCOMP_INET, 2 },
		{ BL_SECCOMP_INET, 10 },
		{ BL_SECCOMP_INET, 16 },
	};

	for (size_t i = 0; i < BL_COUNT(families); i++) {
		if (allows & families[i].need)
			add(filter, SCMP_ACT_ALLOW, call,
			    is(0, families[i].family));
	}
}

static const uint32_t refused = SCMP_ACT_ERRNO(EPERM);

static void add_flags(scmp_filter_ctx filter, int call)
{
	static const uint64_t flags[] = {
		0x00020000, 0x02000000, 0x04000000, 0x08000000,
		0x10000000, 0x20000000, 0x40000000,
	};

	for (size_t i = 0; i < BL_COUNT(flags); i++)
		add(filter, refused, call, bits(0, flags[i], flags[i]));
}

enum { SET_USER_ID = 04000, SET_GROUP_ID = 02000 };

static void add_mode(scmp_filter_ctx filter, int call, unsigned argument)
{
	add(filter, refused, call, bits(argument, SET_USER_ID, SET_USER_ID));
	add(filter, refused, call, bits(argument, SET_GROUP_ID, SET_GROUP_ID));
}

static void add_create(scmp_filter_ctx filter, int call, unsigned argument)
{
	static const uint64_t flags[] = { 0100, 020000000 };

	for (size_t i = 0; i < BL_COUNT(flags); i++) {
		struct scmp_arg_cmp is_new =
			bits(argument - 1, flags[i], flags[i]);

		add_both(filter, refused, call, is_new,
			 bits(argument, SET_USER_ID, SET_USER_ID));
		add_both(filter, refused, call, is_new,
			 bits(argument, SET_GROUP_ID, SET_GROUP_ID));
	}
}

static void add_special(scmp_filter_ctx filter, int call, enum rule rule,
			unsigned allows)
{
	switch (rule) {
	case FAMILY:
		add_family(filter, call, allows);
		break;
	case FLAGS:
		add_flags(filter, call);
		break;
	case TERMINAL:
		add(filter, refused, call, is(1, 0x5412));
		add(filter, refused, call, is(1, 0x541c));
		break;
	case SELF:
		add(filter, SCMP_ACT_ALLOW, call, is(0, 0));
		break;
	case PRIORITY:
		add_both(filter, SCMP_ACT_ALLOW, call, is(0, 0), is(1, 0));
		break;
	case IO_PRIORITY:
		add_both(filter, SCMP_ACT_ALLOW, call, is(0, 1), is(1, 0));
		break;
	case MODE_1:
	case MAKE_1:
		add_mode(filter, call, 1);
		break;
	case MODE_2:
	case MAKE_2:
		add_mode(filter, call, 2);
		break;
	case CREATE_2:
		add_create(filter, call, 2);
		break;
	case CREATE_3:
		add_create(filter, call, 3);
		break;
	case DENY:
	case MISSING:
	case IPC:
	case MODES: /* not special */
		problems++;
		break;
	}
}

/*
 * libseccomp has one action for what no rule is about, so the calls that are
 * decided by arguments get filters of their own: what falls through there has
 * another meaning.
 */
static uint32_t fallback_of(enum rule rule)
{
	bool allows_some = rule == FAMILY || rule == SELF || rule == PRIORITY ||
			   rule == IO_PRIORITY;

	return allows_some ? refused : SCMP_ACT_ALLOW;
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

	need(seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
			      SCMP_ACT_KILL_PROCESS));
	if (token != seccomp_arch_native()) {
		need(seccomp_arch_add(filter, token));
		need(seccomp_arch_remove(filter, SCMP_ARCH_NATIVE));
	}
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
} special[32];
static size_t special_count;

/* call: what libseccomp has for the number, whatever the architecture. */
static void make_special(int number, int call, enum rule rule, unsigned allows)
{
	static struct bl_bpf_insn insns[MAX_INSNS];
	scmp_filter_ctx filter = begin(fallback_of(rule));

	add_special(filter, call, rule, allows);
	special[special_count].number = number;
	special[special_count].count = export(filter, insns);
	memcpy(special[special_count].insns, insns,
	       sizeof(special[special_count].insns));
	special_count++;
}

/* Is there nothing to ask in this variant, as all of it is allowed? */
static bool is_free(enum rule rule, unsigned allows)
{
	if (rule == SELF || rule == PRIORITY || rule == IO_PRIORITY)
		return allows & BL_SECCOMP_PROCESSES;
	return (rule == IPC && allows & BL_SECCOMP_IPC) ||
	       (rule == MODES && allows & BL_SECCOMP_MODES);
}

/* As above, when all of it is refused. */
static bool is_barred(enum rule rule, unsigned allows)
{
	if (rule == MODES || rule == MODE_1 || rule == MODE_2)
		return !(allows & BL_SECCOMP_MODES);
	return rule == IPC && !(allows & BL_SECCOMP_IPC);
}

static void add_number(scmp_filter_ctx filter, int number, unsigned allows)
{
	char *name = seccomp_syscall_resolve_num_arch(token, number);
	enum rule rule;
	int call;

	if (!name)
		return;
	call = seccomp_syscall_resolve_name(name);
	if (!rule_of(name, &rule) || is_free(rule, allows))
		need(seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0));
	else if (rule == DENY || is_barred(rule, allows))
		need(seccomp_rule_add(filter, refused, call, 0));
	else if (rule != MISSING)
		make_special(number, call, rule, allows);
	free(name);
}

static void make(unsigned allows)
{
	scmp_filter_ctx filter;

	problems = 0;
	special_count = 0;
	filter = begin(SCMP_ACT_ERRNO(ENOSYS));
	for (int number = 0; number <= NEWEST; number++)
		add_number(filter, number, allows);
	plain_count = export(filter, plain);
	CHECK_INT(problems, 0);
	CHECK(plain_count > 100);
	CHECK(special_count >= 5 && special_count < BL_COUNT(special));
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

static struct bl_arena arena;

static size_t differences;

static void compare_call(const struct bl_bpf_program *ours,
			 const struct call *call)
{
	uint32_t want = expected(call);
	uint32_t got = decide(ours->insns, ours->len, call);

	if (want == got || differences++ > 5)
		return;
	TAP_NOTE("%u(%llx, %llx, %llx, %llx): %x, libseccomp %x", call->number,
		 (unsigned long long)call->arguments[0],
		 (unsigned long long)call->arguments[1],
		 (unsigned long long)call->arguments[2],
		 (unsigned long long)call->arguments[3], got, want);
}

static void compare_numbers(const struct bl_bpf_program *ours)
{
	struct call call = { .arch = token };

	for (call.number = 0; call.number < TRIED; call.number++) {
		for (size_t i = 0; i < BL_COUNT(arguments); i++) {
			for (size_t at = 0; at < 4; at++)
				call.arguments[at] = arguments[i];
			compare_call(ours, &call);
		}
	}
}

/* All combinations, for the calls whose arguments are asked together. */
static void compare_combinations(const struct bl_bpf_program *ours, int number)
{
	static const uint64_t values[] = { 0,     1,     5,    0100,
					   04755, 02755, 0644, 020200002 };
	enum { VALUES = BL_COUNT(values) };
	struct call call = { .arch = token, .number = (uint32_t)number };

	for (size_t i = 0; i < VALUES * VALUES * VALUES * VALUES; i++) {
		call.arguments[0] = values[i % VALUES];
		call.arguments[1] = values[i / VALUES % VALUES];
		call.arguments[2] = values[i / VALUES / VALUES % VALUES];
		call.arguments[3] = values[i / VALUES / VALUES / VALUES];
		compare_call(ours, &call);
	}
}

static void compare_others(const struct bl_bpf_program *ours)
{
	struct call call = { .arch = token ^ 1 };

	CHECK_INT(decide(ours->insns, ours->len, &call), SCMP_ACT_KILL_PROCESS);
	call.arch ^= 1;
	call.number = 0x40000000; /* x32 */
	CHECK(decide(ours->insns, ours->len, &call) != SCMP_ACT_ALLOW);
}

static void decisions(void)
{
	for (int i = 0; i < BL_SECCOMP_ARCHITECTURES; i++) {
		token = tokens[i];
		for (unsigned allows = 0; allows < BL_SECCOMP_VARIANTS;
		     allows++) {
			const struct bl_bpf_program *ours =
				bl_seccomp_make((enum bl_seccomp_architecture)i,
						allows, &arena);

			REQUIRE(ours);
			make(allows);
			differences = 0;
			compare_numbers(ours);
			for (size_t at = 0; at < special_count; at++)
				compare_combinations(ours, special[at].number);
			CHECK_INT(differences, 0);
			compare_others(ours);
		}
	}
}

static void numbers(void)
{
	for (size_t row = 0; row < BL_COUNT(rows); row++) {
		for (int i = 0; i < BL_SECCOMP_ARCHITECTURES; i++) {
			int number = seccomp_syscall_resolve_name_arch(
				tokens[i], rows[row].name);

			if (number < 0)
				number = NONE;
			if (number != rows[row].numbers[i])
				TAP_NOTE("%s", rows[row].name);
			CHECK_INT(rows[row].numbers[i], number);
		}
	}
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(decisions);
	RUN(numbers);
	bl_arena_clear(&arena);
	return tap_end();
}
