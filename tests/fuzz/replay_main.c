/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_main FOLDER...: feeds a fuzz target every file of the folders, and then
 * a fixed series of mutations of them.  A broken property aborts, so that the
 * plan at the end is never printed.
 */
#include <dirent.h>
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"

enum {
	SEEDS_MAX = 1000,
	SEED_BYTES_MAX = 1 << 20,
	ROUNDS = 40000,
	CHANGES_MAX = 6,
	PATH_BYTES = 4096,
};

struct seed {
	uint8_t *data;
	size_t size;
};

static uint64_t state = 0x2545F4914F6CDD1Du;

/* xorshift: the same numbers on every machine. */
static size_t next_below(size_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return limit ? (size_t)(state >> 11) % limit : 0;
}

static int no_dot(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static struct seed load(const char *folder, const char *name)
{
	struct seed seed = { malloc(SEED_BYTES_MAX), 0 };
	char path[PATH_BYTES];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "rb");
	if (file && seed.data)
		seed.size = fread(seed.data, 1, SEED_BYTES_MAX, file);
	if (file)
		fclose(file);
	return seed;
}

/* The input in memory of exactly its size, so that sanitizers see more. */
static void feed(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);

	MUST(exact);
	memcpy(exact, data, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

/* One change in place; data has room for twice SEED_BYTES_MAX. */
static size_t change(uint8_t *data, size_t size, const struct seed *other)
{
	static const char tokens[] = "{}[]\",:\\/*-+.eE0129truenlfas\n\t ";
	size_t at = next_below(size + 1);
	size_t from = next_below(other->size), len;

	switch (next_below(5)) {
	case 0:
		if (at < size)
			data[at] ^= (uint8_t)(1u << next_below(8));
		return size;
	case 1:
		if (at < size)
			data[at] =
				(uint8_t)tokens[next_below(sizeof(tokens) - 1)];
		return size;
	case 2: /* cut out */
		len = next_below(size - at + 1) / 2;
		memmove(data + at, data + at + len, size - at - len);
		return size - len;
	case 3: /* end early */
		return at;
	default: /* put a piece of another seed in */
		len = next_below(other->size - from + 1);
		if (size + len > SEED_BYTES_MAX)
			return size;
		memmove(data + at + len, data + at, size - at);
		memcpy(data + at, other->data + from, len);
		return size + len;
	}
}

static void mutate_all(const struct seed *seeds, size_t count)
{
	uint8_t *data = malloc(2 * SEED_BYTES_MAX);

	MUST(data);
	for (int round = 0; round < ROUNDS; round++) {
		const struct seed *seed = &seeds[next_below(count)];
		size_t size = seed->size;
		size_t changes = 1 + next_below(CHANGES_MAX);

		memcpy(data, seed->data, size);
		while (changes--)
			size = change(data, size, &seeds[next_below(count)]);
		feed(data, size);
	}
	free(data);
}

static struct seed seeds[SEEDS_MAX];
static size_t seed_count;

/* False without any to read, or with too many. */
static bool load_folder(const char *folder)
{
	struct dirent **names;
	int count = scandir(folder, &names, no_dot, alphasort);

	if (count <= 0 || seed_count + (size_t)count > SEEDS_MAX)
		return false;
	for (int i = 0; i < count; i++) {
		seeds[seed_count] = load(folder, names[i]->d_name);
		MUST(seeds[seed_count++].data);
		free(names[i]);
	}
	free(names);
	return true;
}

int main(int argc, char **argv)
{
	bool good = argc > 1;

	for (int i = 1; i < argc; i++)
		good = good && load_folder(argv[i]);
	if (!good) {
		printf("Bail out! no seeds to read\n");
		return 1;
	}
	for (size_t i = 0; i < seed_count; i++)
		feed(seeds[i].data, seeds[i].size);
	printf("ok 1 - %zu seeds\n", seed_count);
	mutate_all(seeds, seed_count);
	printf("ok 2 - %d mutations\n1..2\n", ROUNDS);
	for (size_t i = 0; i < seed_count; i++)
		free(seeds[i].data);
	return 0;
}
