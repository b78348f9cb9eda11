/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules that a rulebook holds, by many spellings of the same command and by
 * look-alikes (docs/formats/rulebook.md).
 */
#include "world.h"

static void shell(const char *line)
{
	struct bl_buf text;

	/* As JSON, whatever quotes the line has. */
	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "{\"belay\": {\"tool\": {\"shell\": {\"command\": ");
	bl_json_write(&text, bl_value_string(bl_str(line)), BL_JSON_COMPACT);
	bl_buf_puts(&text, "}}}}");
	world_decide("PreToolUse", "tool.before", "Bash", "shell",
		     bl_arena_copy_str(&arena, bl_buf_str(&text)).ptr);
	bl_buf_clear(&text);
}

static void book(const char *text)
{
	world_begin();
	world_file(".belay/rulebook.yml", text);
	world_file("migrations/1.sql", "");
	world_file("deploy.sh", "true\n");
	world_load();
	if (diags.error_count)
		print_diags();
	CHECK_INT(diags.error_count, 0);
}

static void check(const char *line, const char *expected)
{
	shell(line);
	if (!bl_str_is(verb(), expected))
		TAP_NOTE("of: %s", line);
	CHECK_STR(verb(), expected);
}

/* Each line that is the command in another spelling; then what is not. */
static void commands(void)
{
	static const char *const denied[] = {
		"terraform destroy",
		"terraform  destroy",
		"terraform -chdir=x destroy",
		"terraform destroy -auto-approve",
		"terraform destroy -target=a.b",
		"/usr/bin/terraform destroy",
		"\\terraform destroy",
		"ter\"raform\" 'destroy'",
		"sudo terraform destroy",
		"sudo -u root env A=1 terraform destroy",
		"bash -c 'terraform destroy'",
		"sh -c \"terraform destroy -auto-approve\"",
		"eval terraform destroy",
		"t=terraform; $t destroy",
		"d=destroy; terraform $d",
		"x='terraform destroy'; $x",
		"echo destroy | xargs terraform",
		"cd infra && terraform destroy",
		"(terraform destroy)",
		"if true; then terraform destroy; fi",
		"f() { terraform destroy; }; f",
		"timeout 10 nice terraform destroy",
		"echo 'terraform destroy' | sh",
		"bash <<'E'\nterraform destroy\nE",
		"$(echo terraform) destroy",
		"terraform destroy | tee log",
		"nohup terraform destroy &",
		"TF_LOG=1 terraform destroy",
	};
	static const char *const passed[] = {
		"echo terraform destroy",
		"echo \"terraform destroy\"",
		"git commit -m 'terraform destroy'",
		"# terraform destroy",
		"grep -r 'terraform destroy' .",
		"terraform plan",
		"terraform plan -out=destroy",
		"cat <<'E'\nterraform destroy\nE",
		"terraform_destroy",
		"terraform output destroy",
		"tofu destroy",
	};

	book("rules:\n  - deny: terraform destroy\n");
	for (size_t i = 0; i < BL_COUNT(denied); i++)
		check(denied[i], "deny");
	for (size_t i = 0; i < BL_COUNT(passed); i++)
		check(passed[i], "none");
	/* A line that may be it is for a person. */
	check("terraform $X", "ask");
	check("terraform \"$(cat verb)\"", "ask");
	check("$TF destroy", "ask");
	check("terraform pl$X", "none");
}

static void options(void)
{
	static const char *const denied[] = {
		"rm -rf x",         "rm -fr x",
		"rm -r -f x",       "rm -f x -r",
		"rm -Rf x",         "rm --recursive --force x",
		"rm --rec --for x", "rm -r --force -- x",
		"rm -rfv x y",      "find . -exec rm -rf {} +",
	};

	book("rules:\n  - deny: rm -rf\n");
	for (size_t i = 0; i < BL_COUNT(denied); i++)
		check(denied[i], "deny");
	check("rm -r x", "none");
	check("rm -f x", "none");
	check("rm -- -rf", "none");
	check("rm --help -rf", "none");
	book("rules:\n  - deny: git push --force\n");
	check("git push -f", "deny");
	check("git -C x push origin main --force", "deny");
	check("git push origin +main", "deny");
	check("git push", "none");
	check("git push --force-with-lease", "none");
	book("rules:\n  - deny: docker run --privileged\n"
	     "  - deny: psql -c 'drop *'\n");
	check("docker run -it --privileged ubuntu sh", "deny");
	check("docker run ubuntu echo --privileged", "none");
	check("psql -h db --command='drop table t'", "deny");
	check("psql -c 'select 1'", "none");
}

static void operands(void)
{
	book("rules:\n  - deny: npm publish\n  - deny: make deploy\n"
	     "  - deny: chmod 777\n  - deny: mytool drop\n");
	check("npm publish --access public", "deny");
	check("npm run publish", "none");
	check("npm install publish", "none");
	check("make build deploy", "deny");
	check("make -C sub deploy", "deny");
	check("chmod -R 777 x", "deny");
	check("chmod 755 x", "none");
	check("mytool --env prod drop x", "deny");
	check("mytool dropped", "none");
	book("rules:\n  - deny: rm build/*\n  - ask: cat *.pem\n");
	check("rm ./build/x", "deny");
	check("cd build && rm x", "deny");
	check("rm \"$PWD/build/x\"", "deny");
	check("rm src/../build/x", "deny");
	check("rm other", "none");
	check("cat key.pem", "ask");
	check("cat key.pub", "none");
}

static void scripts(void)
{
	book("rules:\n  - deny: ./deploy.sh prod\n");
	check("./deploy.sh prod", "deny");
	check("./deploy.sh --now prod", "deny");
	check("bash deploy.sh prod", "deny");
	check("sh ./deploy.sh prod", "deny");
	check("cd / && \"$OLDPWD/deploy.sh\" prod", "deny");
	check("./deploy.sh staging", "none");
	check("cat ./deploy.sh prod", "none");
	check("../deploy.sh prod", "none");
}

static void refs(void)
{
	book("rules:\n  - {ask: git push, to: main}\n"
	     "  - {deny: git push, to: 'release/*'}\n"
	     "  - {deny: curl, to: x.example}\n");
	check("git push origin main", "ask");
	check("git push -u origin HEAD:main", "ask");
	check("git push origin feature:refs/heads/main", "ask");
	check("git push origin +main", "ask");
	check("git push --all", "deny");
	check("git push origin feature", "none");
	check("git push origin maintenance", "none");
	check("git push origin release/1", "deny");
	check("git push origin \"$BRANCH\"", "ask");
	check("curl https://a.x.example/y", "deny");
	check("curl https://x.example.org/", "none");
	/* The current branch is what a push without words pushes. */
	world_file(".git/HEAD", "ref: refs/heads/main\n");
	check("git push", "ask");
	check("git push origin HEAD", "ask");
	world_file(".git/HEAD", "ref: refs/heads/feature\n");
	check("git push", "none");
	check("git checkout main && git push", "ask");
}

static void paths(void)
{
	char link[128];
	char target[128];

	book("rules:\n  - deny: {write: 'migrations/**'}\n"
	     "  - deny: {read: '**/*.key'}\n  - ask: {delete: docs}\n");
	check("echo x > migrations/1.sql", "deny");
	check("cp a migrations/", "deny");
	check("sed -i s/a/b/ migrations/1.sql", "deny");
	check("rm -rf migrations", "deny");
	check("mv migrations old", "deny");
	check("rm -rf *", "deny");
	check("cd migrations && touch 2.sql", "deny");
	check("tee migrations/x < y", "deny");
	check("python3 -c \"open('migrations/1.sql','w')\"", "deny");
	check("cat migrations/1.sql", "none");
	check("echo migrations/1.sql", "none");
	check("touch migrations.md", "none");
	check("echo x > \"$OUT\"", "ask");
	check("echo x > \"/var/$OUT\"", "none");
	check("cat a/b/c.key", "deny");
	check("cat c.key", "deny");
	check("cat c.keys", "none");
	check("rm docs/a", "ask");
	check("touch docs/a", "none");
	world_path(link, sizeof(link), "other");
	world_path(target, sizeof(target), "migrations");
	CHECK(!symlink(target, link));
	check("touch other/1.sql", "deny");
	check("ln -s migrations m; echo > m/x", "deny");
}

static void tools(void)
{
	book("rules:\n  - deny: {mcp: 'db.drop_*'}\n  - ask: {host: "
	     "x.example}\n"
	     "  - deny: {write: a.txt}\n");
	world_decide("PreToolUse", "tool.before", "mcp__db__drop_table", "mcp",
		     "{\"belay\":{\"tool\":{\"mcp\":{\"server\":\"db\","
		     "\"tool\":\"drop_table\"}}}}");
	CHECK_STR(verb(), "deny");
	world_decide("PreToolUse", "tool.before", "mcp__db__list", "mcp",
		     "{\"belay\":{\"tool\":{\"mcp\":{\"server\":\"db\","
		     "\"tool\":\"list\"}}}}");
	CHECK_STR(verb(), "none");
	world_decide("PreToolUse", "tool.before", "db_drop_table", "other",
		     "{\"belay\":{\"tool\":{}}}");
	CHECK_STR(verb(), "deny");
	world_decide("PreToolUse", "tool.before", "WebFetch", "web.fetch",
		     "{\"belay\":{\"tool\":{\"url\":\"https://x.example/\"}}}");
	CHECK_STR(verb(), "ask");
	world_decide("PreToolUse", "tool.before", "Write", "file.write",
		     "{\"belay\":{\"tool\":{\"files\":[{\"op\":\"write\","
		     "\"path\":\"a.txt\"}]}}}");
	CHECK_STR(verb(), "deny");
}

/* Strictest level: all that passes here is let pass by a rule. */
static void allowed(void)
{
	static const char *const passed[] = {
		"rm -rf ./build",
		"rm -fr build",
		"rm -r -f ./build/",
		"bash -c 'rm -rf ./build'",
		"git push --force origin feat/x",
		"pkill -f vite",
		"pkill -f vite >/dev/null 2>&1",
	};
	static const char *const stopped[] = {
		"cd /; rm -rf ./build",
		"cd ~ && rm -rf build",
		"rm -rf ./build /tmp",
		"rm -rf ./build ~",
		"rm -rfv ~/build",
		"git push --force origin feat/x main",
		"git push --force --no-verify origin feat/x",
		"pkill -9 -f vite",
		"pkill -f vite > ~/.bashrc",
		"pkill -f vite > out",
		"pkill -f vite < in",
		"sudo pkill -f vite",
		"ssh host pkill -f vite",
		"pkill -f $X",
	};

	book("level: strict\nrules:\n  - allow: rm -rf ./build\n"
	     "  - allow: git push --force origin feat/*\n"
	     "  - allow: pkill -f vite\n");
	for (size_t i = 0; i < BL_COUNT(passed); i++)
		check(passed[i], "none");
	for (size_t i = 0; i < BL_COUNT(stopped); i++) {
		shell(stopped[i]);
		if (bl_str_is(verb(), "none"))
			TAP_NOTE("passed: %s", stopped[i]);
		CHECK(!bl_str_is(verb(), "none"));
	}
	/* The guard is not for a rule to open. */
	book("level: strict\nrules:\n  - allow: rm -rf .belay\n"
	     "  - allow: belay allow x\n");
	check("rm -rf .belay", "deny");
	check("belay allow x", "deny");
	/* One's own refusal stands. */
	book("rules:\n  - deny: rm\n  - allow: rm -rf ./build\n");
	check("rm -rf ./build", "deny");
}

static void says(void)
{
	const struct bl_policy_finding *finding;

	book("rules:\n  - deny: terraform destroy\n    reason: Production\n"
	     "    instead: ask the platform team\n");
	shell("sudo terraform destroy");
	REQUIRE(report.finding_count == 1);
	finding = &report.findings[0];
	CHECK_STR(finding->rule_id, "own/terraform-destroy");
	CHECK_STR(finding->reason,
		  "Production: `terraform destroy` (.belay/rulebook.yml:2).");
	CHECK_STR(finding->safe_alternative, "ask the platform team");
	CHECK(has_text(report.decision.user_message,
		       "Instead: ask the platform team."));
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(commands);
	RUN(options);
	RUN(operands);
	RUN(scripts);
	RUN(refs);
	RUN(paths);
	RUN(tools);
	RUN(allowed);
	RUN(says);
	world_end();
	return tap_end();
}
