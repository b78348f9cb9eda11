/* SPDX-License-Identifier: Apache-2.0 */
/* Work on several threads; the only file that starts any. */
#include <pthread.h>
#include <sched.h>

#include "os/os.h"

enum { MAX_THREADS = 256 };

struct worker {
	pthread_t thread;
	bool started;
	uint32_t number;
	void (*work)(void *context, uint32_t i);
	void *context;
};

uint32_t bl_os_cpu_count(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return CPU_COUNT(&set) > 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

static void *start(void *argument)
{
	struct worker *worker = argument;

	worker->work(worker->context, worker->number);
	return NULL;
}

void bl_os_parallel(uint32_t count, void (*work)(void *context, uint32_t i),
		    void *context)
{
	struct worker workers[MAX_THREADS];
	uint32_t threads = count < MAX_THREADS ? count : (uint32_t)MAX_THREADS;

	/* Worker 0 is this thread, as are those that cannot be started. */
	for (uint32_t i = 1; i < threads; i++) {
		workers[i] = (struct worker){ .number = i,
					      .work = work,
					      .context = context };
		workers[i].started = !pthread_create(&workers[i].thread, NULL,
						     start, &workers[i]);
	}
	if (count)
		work(context, 0);
	for (uint32_t i = 1; i < threads; i++) {
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
		else
			work(context, i);
	}
	for (uint32_t i = threads; i < count; i++)
		work(context, i);
}
