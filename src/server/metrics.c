/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c: is it alive, is it ready, and how is it: for machines that ask. */
#include "server/app.h"

/* Upper ends of buckets, in microseconds. */
static const int64_t bounds_us[] = { 100,   250,   500,   1000,   2500,   5000,
				     10000, 25000, 50000, 100000, 1000000 };

void metrics_note(struct app *app, int status, int64_t elapsed_ns)
{
	int64_t us = elapsed_ns / 1000;
	size_t bucket = 0;

	while (bucket < BL_COUNT(bounds_us) && us > bounds_us[bucket])
		bucket++;
	atomic_fetch_add(&app->status_counts[status / 100 % 6], 1);
	atomic_fetch_add(&app->duration_counts[bucket], 1);
	atomic_fetch_add(&app->duration_us, (unsigned long long)us);
}

/* GET /healthz: the program runs. */
enum bl_status route_healthz(struct call *call)
{
	call->reply->type = "text/plain; charset=utf-8";
	call->reply->body = BL_STR("ok\n");
	return BL_OK;
}

/* GET /readyz: it can work: the database answers, and it is not stopping. */
enum bl_status route_readyz(struct call *call)
{
	struct bl_rows rows;
	enum bl_status status;

	if (atomic_load(&call->app->is_stopping))
		return call_refuse(call, 503, "stopping");
	status = call_ask(call, BL_DB_PLAIN("SELECT 1"), &rows);
	return status ? status : route_healthz(call);
}

static void put(struct bl_buf *out, const char *name, const char *type,
		const char *help, unsigned long long value)
{
	bl_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", name, help,
		      name, type, name, value);
}

static void put_durations(struct app *app, struct bl_buf *out)
{
	static const char name[] = "belay_request_duration_seconds";
	unsigned long long sum = 0;

	bl_buf_printf(out,
		      "# HELP %s Time from the head of a request to its "
		      "reply.\n# TYPE %s histogram\n",
		      name, name);
	for (size_t i = 0; i <= BL_COUNT(bounds_us); i++) {
		sum += atomic_load(&app->duration_counts[i]);
		if (i < BL_COUNT(bounds_us))
			bl_buf_printf(out, "%s_bucket{le=\"%g\"} %llu\n", name,
				      (double)bounds_us[i] / 1e6, sum);
		else
			bl_buf_printf(out, "%s_bucket{le=\"+Inf\"} %llu\n",
				      name, sum);
	}
	bl_buf_printf(out, "%s_sum %.6f\n%s_count %llu\n", name,
		      (double)atomic_load(&app->duration_us) / 1e6, name, sum);
}

/* GET /metrics: Prometheus' text form. */
enum bl_status route_metrics(struct call *call)
{
	struct app *app = call->app;
	struct bl_server_counts counts = bl_server_count(app->server);
	struct bl_buf *out = &call->out;

	bl_buf_puts(out, "# HELP belay_requests_total Replies by status.\n"
			 "# TYPE belay_requests_total counter\n");
	for (int i = 1; i < 6; i++)
		bl_buf_printf(out, "belay_requests_total{code=\"%dxx\"} %llu\n",
			      i, atomic_load(&app->status_counts[i]));
	put_durations(app, out);
	put(out, "belay_connections", "gauge", "Open connections.",
	    counts.connections);
	put(out, "belay_waiting_requests", "gauge",
	    "Requests that wait for a worker.", counts.waiting);
	put(out, "belay_shed_requests_total", "counter",
	    "Requests refused because no worker was free.", counts.shed);
	put(out, "belay_refused_connections_total", "counter",
	    "Connections closed for headers that can be read in two ways.",
	    counts.refused);
	put(out, "belay_late_connections_total", "counter",
	    "Connections closed because a request took too long to come.",
	    counts.late);
	put(out, "belay_uploads_total", "counter", "Uploads of records.",
	    atomic_load(&app->uploads));
	put(out, "belay_records_total", "counter", "Records that were kept.",
	    atomic_load(&app->uploaded_records));
	exports_put_metrics(app, out);
	return call_send(call, "text/plain; version=0.0.4; charset=utf-8");
}
