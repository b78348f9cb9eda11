/* SPDX-License-Identifier: Apache-2.0 */
/* log.c: one line of JSON on standard error for each thing worth knowing. */
#include "server/app.h"

#include <unistd.h>

enum { LINE_BYTES = 4096 };

static const char *const levels[] = { "error", "warning", "info" };

static void begin(struct bl_buf *line, enum log_level level)
{
	char time[BL_OS_TIME_TEXT_BYTES];

	bl_os_format_time(bl_os_wall_ms(), time);
	bl_buf_init(line, LINE_BYTES);
	bl_buf_printf(line, "{\"time\":\"%s\",\"level\":\"%s\"", time,
		      levels[level]);
}

static void end(struct bl_buf *line)
{
	bl_buf_puts(line, "}\n");
	if (!bl_buf_status(line))
		(void)!bl_os_write_all(STDERR_FILENO, bl_buf_str(line), NULL);
	bl_buf_clear(line);
}

void app_log(enum log_level level, const char *message, ...)
{
	struct bl_buf text;
	struct bl_buf line;
	va_list args;

	bl_buf_init(&text, LINE_BYTES / 2);
	va_start(args, message);
	bl_buf_vprintf(&text, message, args);
	va_end(args);
	begin(&line, level);
	bl_buf_puts(&line, ",\"message\":");
	bl_json_write_string(&line, bl_buf_str(&text));
	end(&line);
	bl_buf_clear(&text);
}

void app_log_request(const struct bl_server_request *request,
		     const struct bl_server_reply *reply)
{
	const struct caller *who = request->caller;
	char ip[BL_IP_TEXT_BYTES] = "";
	struct bl_buf line;

	if (request->peer.len)
		bl_ip_print(&request->peer, ip);
	begin(&line, reply->status >= 500 ? LOG_FAILURE : LOG_NOTE);
	bl_buf_printf(
		&line,
		",\"message\":\"request\",\"status\":%d,"
		"\"ms\":%.3f,\"peer\":\"%s\",\"path\":",
		reply->status,
		(double)(bl_os_monotonic_ns() - request->started_ns) / 1e6, ip);
	bl_json_write_string(&line, bl_str_slice(request->path, 0, 256));
	if (who) {
		bl_buf_printf(&line, ",\"role\":\"%s\",\"token\":\"%.*s\"",
			      app_role_name(who->role), BL_STR_ARG(who->id));
	}
	end(&line);
}
