/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego.c: asks a policy about an input.
 *
 *     cc rego.c $(pkg-config --cflags --libs rego) && echo '{...}' | ./a.out
 */
#include <rego.h>
#include <stdio.h>
#include <string.h>

static const char policy[] = "package cinema\n"
			     "default allow := false\n"
			     "allow if input.age >= data.adult\n";

int main(void)
{
	static char input[65536];
	size_t size = fread(input, 1, sizeof(input), stdin);
	rego_error error = REGO_ERROR_INIT;
	rego_compiler *compiler = NULL;
	rego_policies *policies = NULL;
	rego_query *query = NULL;
	rego_result *result = NULL;
	int allowed = 0; /* until the policy says otherwise */

	if (rego_compiler_new(NULL, &compiler, &error) ||
	    rego_compiler_add_module(compiler, "cinema.rego", policy,
				     strlen(policy), &error) ||
	    rego_compiler_add_data(compiler, "{\"adult\": 18}", 13, &error) ||
	    rego_compile(compiler, &policies, NULL, &error) ||
	    rego_query_new(policies, "data.cinema.allow", &query, NULL,
			   &error) ||
	    rego_query_run(query, NULL, input, size, &result, &error))
		fprintf(stderr, "refused: %s\n", error.message);
	else
		allowed = rego_result_is_true(result);
	puts(allowed ? "come in" : "stay out");
	rego_result_free(result);
	rego_query_free(query);
	rego_policies_free(policies);
	rego_compiler_free(compiler);
	return !allowed;
}
