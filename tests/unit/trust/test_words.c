/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "base/buf.h"
#include "trust/trust.h"

static void note_word(void *context, struct bl_str word)
{
	struct bl_buf *out = context;

	bl_buf_put_char(out, '[');
	bl_buf_put_str(out, word);
	bl_buf_put_char(out, ']');
}

/* The words into which a shell would split the command, and those hidden in quotes. */
static const struct {
	const char *command;
	const char *words;
} cases[] = {
	{ "", "" },
	{ "   ", "" },
	{ "./a.sh", "[./a.sh]" },
	{ "node a.js --flag x", "[node][a.js][--flag][x]" },
	{ "a;b&&c||d|e&f", "[a][b][c][d][e][f]" },
	{ "a\tb\nc", "[a][b][c]" },
	{ "(cd x && ./y)", "[cd][x][./y]" },
	{ "./a >out 2>/dev/null <in", "[./a][out][2][/dev/null][in]" },
	{ "\"./a b.sh\" c", "[./a b.sh][./a][b.sh][c]" },
	{ "'./a b.sh'", "[./a b.sh][./a][b.sh]" },
	{ "./a\\ b.sh", "[./a b.sh][./a][b.sh]" },
	{ "\"$CURSOR_PROJECT_DIR\"/x.sh", "[$CURSOR_PROJECT_DIR/x.sh]" },
	{ "bash -c 'node ./x.js; y'", "[bash][-c][node ./x.js; y]"
				      "[node][./x.js][y]" },
	{ "sh -c \"sh -c './in'\"", "[sh][-c][sh -c './in'][sh][-c][./in]" },
	{ "X=./a.sh ./b.sh", "[X=./a.sh][./a.sh][./b.sh]" },
	{ "./b.sh --run=./c.sh", "[./b.sh][--run=./c.sh][./c.sh]" },
	{ "echo `./a` $(./b)", "[echo][./a][$][./b]" },
	{ "echo \"x $(./b) `./c`\"", "[echo][x $(./b) `./c`][x][$][./b][./c]" },
	{ "a'b'\"c\"d", "[abcd]" },
	{ "echo \"a\\\"b\"", "[echo][a\"b][ab]" },
	{ "echo 'not closed ./x", "[echo][not closed ./x][not][closed][./x]" },
	{ "a\\", "[a\\]" },
	/* A line that goes on, in a word and in quotes. */
	{ ".cursor/ho\\\noks/a.sh", "[.cursor/hooks/a.sh]" },
	{ "\".cursor/ho\\\noks/a.sh\"", "[.cursor/hooks/a.sh]" },
	{ "awk -fa.awk", "[awk][-fa.awk][a.awk]" },
};

static void words(void)
{
	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		struct bl_buf out;

		bl_buf_init(&out, 0);
		CHECK_STATUS(bl_trust_each_script(bl_str(cases[i].command),
						  note_word, &out),
			     BL_OK);
		CHECK_STR(bl_buf_str(&out), cases[i].words);
		bl_buf_clear(&out);
	}
}

/* Each level of escaped quotes is split again, up to a limit with a name. */
static void quotes_in_quotes(void)
{
	struct bl_buf command, next, out;
	enum bl_status status = BL_OK;

	bl_buf_init(&command, 0);
	bl_buf_init(&next, 0);
	bl_buf_init(&out, 0);
	bl_buf_puts(&command, "a b");
	for (int level = 0; level < 8 && status == BL_OK; level++) {
		bl_buf_reset(&next);
		bl_buf_put_char(&next, '"');
		for (size_t i = 0; i < command.len; i++) {
			if (strchr("\"\\", command.ptr[i]))
				bl_buf_put_char(&next, '\\');
			bl_buf_put_char(&next, command.ptr[i]);
		}
		bl_buf_put_char(&next, '"');
		bl_buf_reset(&command);
		bl_buf_put_str(&command, bl_buf_str(&next));
		status = bl_trust_each_script(bl_buf_str(&command), note_word,
					      &out);
		if (level < 4)
			CHECK_STATUS(status, BL_OK);
	}
	CHECK_STATUS(status, BL_LIMIT);
	bl_buf_clear(&command);
	bl_buf_clear(&next);
	bl_buf_clear(&out);
}

int main(void)
{
	RUN(words);
	RUN(quotes_in_quotes);
	return tap_end();
}
