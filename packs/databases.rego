# databases: data that statements and tools destroy.
package belay.packs

import rego.v1

# METADATA
# title: A database, schema or table is dropped
# custom:
#   id: databases/drop
#   severity: high
#   modes: [ask, deny, deny]
#   instead: make a backup, and let the person do it
hits contains found("databases/drop", effect) if {
	some effect in acts["database:drop"]
	not is_on_test_database(effect)
}

# METADATA
# title: A table is emptied
# custom:
#   id: databases/truncate
#   severity: high
#   modes: [ask, deny, deny]
#   instead: count its rows first
hits contains found("databases/truncate", effect) if {
	some effect in acts["database:truncate"]
	not is_on_test_database(effect)
}

# METADATA
# title: All rows are deleted or changed
# description: DELETE or UPDATE without a condition that selects.
# custom:
#   id: databases/delete-all
#   severity: high
#   modes: [ask, deny, deny]
#   instead: SELECT with the same condition
hits contains found("databases/delete-all", effect) if {
	some key in {"database:delete-all", "database:update-all"}
	some effect in acts[key]
	not is_on_test_database(effect)
}

# The same, by the words of a framework.
hits contains found_command("databases/delete-all", command) if {
	some command in live_commands
	some word in command.argv
	regex.match(`\b[A-Z]\w*(::\w+)*\.(delete_all|destroy_all)\b|\.objects\.(all\(\)\.)?delete\(\)|\b[A-Z]\w*::(truncate|query\(\)->delete)\(|\bdb\.drop_all\(\)`, word)
	runs_framework(command)
}

runs_framework(command) if regex.match(`(^| |/)(rails (runner|r|console|c)|rake|manage\.py (shell|shell_plus)|artisan tinker|flask shell)( |$)`, concat(" ", command.argv))

# METADATA
# title: A tool resets the database
# custom:
#   id: databases/reset
#   severity: high
#   modes: [ask, deny, deny]
#   instead: write a forward migration
hits contains found("databases/reset", effect) if {
	some effect in acts["database:reset"]
	not is_on_test_database(effect)
}

# Stores whose verb stands among the operands.
hits contains found_command("databases/reset", command) if {
	some command in live_commands
	some row in store_removals
	command.program == row[0]
	regex.match(row[1], concat(" ", command.operands))
}

store_removals := [
	["heroku", `^pg:(reset|reset-.*)( |$)|^redis:.*(reset|destroy)`],
	["influx", `^bucket delete( |$)`],
	["etcdctl", `^del( |$)`],
	["bq", `^rm( |$)`],
	["kubectl", `^(delete|patch) (pvc|persistentvolumeclaims?|pv)( |/|$)`],
]

hits contains found_command("databases/reset", command) if {
	some command in live_commands
	command.program in {"rails", "rake", "bin/rails"}
	some word in command.argv
	regex.match(`^db:(drop|reset|purge|schema:load|setup|migrate:reset|truncate_all)`, word)
}

hits contains found_command("databases/reset", command) if {
	some command in live_commands
	some word in command.argv
	regex.match(`(^|/)manage\.py$`, word)
	some verb in {"flush", "reset_db", "sqlflush"}
	verb in command.argv
}

hits contains found_command("databases/reset", command) if {
	some command in live_commands
	some word in command.argv
	regex.match(`(^|/)artisan$`, word)
	some verb in command.argv
	regex.match(`^(migrate:(fresh|reset|refresh)|db:wipe)$`, verb)
}

hits contains found_command("databases/reset", command) if {
	some command in live_commands
	command.program == "mix"
	some word in command.argv
	word in {"ecto.drop", "ecto.reset"}
}

hits contains found_command("databases/reset", command) if {
	some command in live_commands
	command.program in {"alembic", "flask"}
	some i, word in command.operands
	word == "downgrade"
	command.operands[i + 1] == "base"
}

# Frameworks and build tools, by the name of the task.
hits contains found_command("databases/reset", command) if {
	some command in live_commands
	some word in command.argv
	regex.match(`^(doctrine:(database|schema):drop|doctrine:mongodb:schema:drop|flyway(Clean|:clean)|liquibase(DropAll|:dropAll))$`, word)
}

hits contains found_command("databases/reset", command) if {
	some command in live_commands
	regex.match(`(^|/)dotnet( |-)ef database drop( |$)`, concat(" ", command.argv))
}

# Back to the time before the first migration.
hits contains found_command("databases/reset", command) if {
	some command in live_commands
	some i, word in command.argv
	regex.match(`(^|/)manage\.py$`, word)
	command.argv[i + 1] == "migrate"
	command.argv[i + 3] == "zero"
}

hits contains found_command("databases/reset", command) if {
	some command in live_commands
	command.program == "supabase"
	command.operands[0] == "db"
	command.operands[1] == "reset"
}

# METADATA
# title: Migrations are applied
# custom:
#   id: databases/migrate
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: look at the SQL first
hits contains found("databases/migrate", effect) if {
	some effect in acts["database:migrate"]
	some command in commands
	some word in array.concat(command.argv, [v | some v in object.get(command, "environment", {})])
	is_production(word)
}

# To the database of a linked project, not the local one.
hits contains found_command("databases/migrate", command) if {
	some command in live_commands
	command.program == "supabase"
	concat(" ", array.slice(command.operands, 0, 2)) in {"db push", "migration up", "migration repair"}
	not "local" in object.keys(command.options)
}

hits contains found_command("databases/migrate", command) if {
	some command in live_commands
	command.program == "wrangler"
	concat(" ", array.slice(command.operands, 0, 3)) == "d1 migrations apply"
	"--remote" in command.argv
}

# METADATA
# title: A migration is undone
# custom:
#   id: databases/rollback
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: status
hits contains found("databases/rollback", effect) if {
	some effect in acts["database:rollback"]
}

# METADATA
# title: Keys of a store are deleted
# custom:
#   id: databases/flush
#   severity: high
#   modes: [ask, deny, deny]
#   instead: SCAN, TTL
hits contains found("databases/flush", effect) if {
	some key in {"database:flush", "database:shutdown", "database:setting"}
	some effect in acts[key]
}

# METADATA
# title: A restore that replaces what is there
# custom:
#   id: databases/restore-over
#   severity: high
#   modes: [ask, deny, deny]
#   instead: restore into a new database
hits contains found("databases/restore-over", effect) if {
	some effect in acts["database:restore-over"]
}

# METADATA
# title: Rights in a database are changed
# custom:
#   id: databases/grant
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: list them
hits contains found("databases/grant", effect) if {
	some effect in acts["database:grant"]
}

# METADATA
# title: SQL that runs programs or reads files of the server
# custom:
#   id: databases/program
#   severity: high
#   modes: [ask, deny, deny]
hits contains found("databases/program", effect) if {
	some effect in acts["database:program"]
}

# METADATA
# title: The files of a database are deleted
# custom:
#   id: databases/files
#   severity: high
#   modes: [ask, deny, deny]
#   instead: copy them first
hits contains found("databases/files", effect) if {
	some effect in paths.delete
	regex.match(`\.(sqlite3?|db|mdb)$`, effect.target)
	effect.place != "temp"
	not regex.match(`(test|tmp|cache)[^/]*(/[^/]*)?$`, lower(effect.target))
}

# METADATA
# title: Statements that are not known here
# custom:
#   id: databases/opaque
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: show the text
hits contains found_opaque("databases/opaque", one) if {
	some one in opaque
	one.reason in {"code", "script"}
	commands[one.command].program in {"psql", "mysql", "mariadb", "sqlite3", "mongosh", "redis-cli", "clickhouse-client", "sqlcmd", "duckdb"}
}

# METADATA
# title: Migrations, seeds or tests on a database that is not local
# description: The address in the line or the environment of the command says production, or a managed service.
# custom:
#   id: databases/production-run
#   severity: high
#   modes: [ask, deny, deny]
#   instead: use a local database, or a branch of it
hits contains found_command("databases/production-run", command) if {
	some command in live_commands
	runs_on_database(command)
	is_far_database(command)
}

hits contains found("databases/production-run", effect) if {
	some key in {"database:migrate", "database:rollback", "database:reset", "database:seed"}
	some effect in acts[key]
	is_far_database(command_of(effect))
}

# METADATA
# title: A search index is deleted, or emptied by a query
# custom:
#   id: databases/index
#   severity: high
#   modes: [ask, deny, deny]
#   instead: GET, or _count with the same query
hits contains found_command("databases/index", command) if {
	some command in live_commands
	command.program in {"curl", "http", "https", "xh", "wget"}
	some word in command.argv
	regex.match(`:(9200|9243|9201)/|elastic|opensearch|/_delete_by_query|meilisearch|:7700/indexes|qdrant|:6333/collections|weaviate`, word)
	deletes_by_http(command)
}

# METADATA
# title: A whole database is written outside the workspace
# custom:
#   id: databases/dump-out
#   severity: medium
#   modes: [monitor, ask, deny]
#   instead: write it in the workspace, ignored by git, or --schema-only
hits contains found("databases/dump-out", effect) if {
	some effect in effects
	effect.kind == "write"
	effect.place in {"home", "other", "system"}
	is_dump(command_of(effect))
}

hits contains found("databases/dump-out", effect) if {
	some effect in effects
	effect.kind == "write"
	effect.action == "redirect"
	effect.place in {"home", "other", "system"}
	some command in live_commands
	is_dump(command)
}

hits contains found("databases/dump-out", effect) if {
	some effect in effects
	effect.kind in {"network", "remote"}
	"send" in effect.details
	some command in live_commands
	is_dump(command)
}

is_dump(command) if {
	command.program in {"pg_dump", "pg_dumpall", "mysqldump", "mariadb-dump", "mongodump", "mongoexport"}
	not "schema-only" in object.keys(command.options)
	not "no-data" in object.keys(command.options)
}

deletes_by_http(command) if {
	some value in array.concat(object.get(command.options, "request", []), object.get(command.options, "method", []))
	upper(value) == "DELETE"
}

deletes_by_http(command) if command.operands[0] == "DELETE"

deletes_by_http(command) if {
	some word in command.argv
	regex.match(`/_delete_by_query`, word)
}

runs_on_database(command) if regex.match(`(^| |/)(prisma (migrate|db)|drizzle-kit (push|migrate)|knex (migrate|seed)|sequelize(-cli)? db:|typeorm (migration|schema)|alembic (upgrade|downgrade)|flyway|liquibase|dbmate|goose|atlas migrate|manage\.py (migrate|flush|loaddata)|rails db:|rake db:|artisan (migrate|db:)|mix ecto\.|supabase db push|pytest|jest|vitest|npm test|npm run (test|seed|migrate))`, concat(" ", command.argv))

is_far_database(command) if {
	some name, value in object.get(command, "environment", {})
	regex.match(`(?i)(DATABASE|DB|POSTGRES|PG|MYSQL|MONGO|REDIS|SQL).*(URL|URI|HOST|DSN)|^PGHOST$`, name)
	is_far_address(value)
}

is_far_database(command) if {
	some name, value in object.get(command, "environment", {})
	name in {"NODE_ENV", "RAILS_ENV", "APP_ENV", "RACK_ENV", "DJANGO_ENV", "FLASK_ENV", "MIX_ENV", "ENVIRONMENT"}
	is_production(value)
	runs_on_schema(command)
}

is_far_database(command) if {
	some word in command.argv
	regex.match(`^([a-z-]+=)?(postgres(ql)?|mysql|mariadb|mongodb(\+srv)?|redis|sqlserver)://`, word)
	is_far_address(word)
}

runs_on_schema(command) if not regex.match(`(^| |/)(pytest|jest|vitest|npm test|npm run test)`, concat(" ", command.argv))

is_far_address(text) if regex.match(`(?i)rds\.amazonaws\.com|supabase\.(co|com)|neon\.tech|psdb\.cloud|render\.com|railway\.(app|internal)|database\.azure\.com|mongodb\.net|cloudsql|planetscale|aivencloud\.com|cockroachlabs\.cloud|timescale`, text)

is_far_address(text) if regex.match(`(?i)(^|[-_./:@])(prod|production|prd|live)($|[-_./:@?])`, text)

# ---- databases of tests ---------------------------------------------------------

# A statement on a database that a test made: in memory, in a temporary file, or a local one
# whose name says test. Each name that the command gives must say so, and no statement of it
# may go on to another database.
is_on_test_database(effect) if {
	command := command_of(effect)
	is_test_database(command)
	not connects_elsewhere(command)
	not names_elsewhere(effect)
	not names_production(command)
}

is_test_database(command) if {
	command.program in {"sqlite3", "duckdb"}
	regex.match(`^:memory:$|(^|/)(tests?|fixtures|tmp)/[^/]+$|(^|[/_.-])tests?([_.-][^/]*)?$`, command.operands[0])
}

is_test_database(command) if {
	command.program in {"sqlite3", "duckdb"}
	some effect in effects
	effect.command == command.index
	effect.path
	effect.place == "temp"
	"edit" in effect.details
}

is_test_database(command) if {
	is_local_client(command)
	names := database_names(command)
	count(names) > 0
	every name in names {
		is_test_name(name)
	}
	not names_far_host(command)
}

is_test_name(name) if regex.match(`^([a-z+]+://([^@/?#\\]*@)?(localhost|127\.[0-9.]+|\[::1\])(:[0-9]+)?/)?(test|ci|[A-Za-z0-9_-]+[_-](test|ci)|test[_-][A-Za-z0-9_-]+)([?].*)?$`, name)

# Clients of servers that may be local, and which operand is the database.
database_operand := {
	"psql": 0, "usql": 0, "mysql": 0, "mariadb": 0, "mongo": 0, "mongosh": 0, "dropdb": 0, "mysqladmin": 1,
}

database_options := {"dbname", "database", "db"}

is_local_client(command) if {
	command.program in object.keys(database_operand)
	is_here_or_in_container(command)
}

is_here_or_in_container(command) if command.where == "here"

is_here_or_in_container(command) if {
	command.where == "contained"
	every wrapper in command.wrappers {
		not regex.match(`kube|^(oc|helm|ssh|nomad|aws|az|gcloud|fly)`, wrapper)
	}
}

database_names(command) := {name |
	some option in database_options
	some name in command.options[option]
} | {name |
	name := command.operands[database_operand[command.program]]
}

names_production(command) if {
	some word in command.argv
	is_production(word)
}

names_far_host(command) if {
	some host in command.options.host
	not regex.match(`^(localhost|127\.[0-9.]+|::1|/.*)$`, host)
}

# Files and groups of settings that name a host.
names_far_host(command) if {
	some option in {"login-path", "defaults-file", "defaults-extra-file"}
	command.options[option]
}

names_far_host(command) if {
	some name, value in object.get(command, "environment", {})
	names_host(name)
	not is_this_machine(value)
}

# export PGHOST=db.shop.example; psql shop_test
names_far_host(command) if {
	some other in live_commands
	other.index < command.index
	other.program in {"export", "declare", "typeset"}
	some word in other.argv
	contains(word, "=")
	names_host(regex.replace(word, `=.*$`, ""))
	not is_this_machine(regex.replace(word, `^[^=]*=`, ""))
}

names_host(name) if regex.match(`(?i)(^|_)(HOST|URL|URI|DSN)$|^PG(HOST|HOSTADDR|SERVICE|SERVICEFILE)$`, name)

# Addresses of remote hosts contain //.
names_far_host(command) if {
	some word in command.argv
	regex.match(`^([a-z-]+=)?[a-z+]+://`, word)
	not is_this_machine(regex.replace(word, `^[a-z-]+=`, ""))
}

# libpq takes the host from a parameter, too: postgres:///shop_test?host=db.shop.example
names_far_host(command) if {
	some word in command.argv
	regex.match(`(^|[ =?&])(host|hostaddr|service)=`, word)
}

# USE shop, \c shop, ATTACH 'shop.db', .open shop.db
connects_elsewhere(command) if {
	some effect in acts["database:connect"]
	effect.command == command.index
}

names_elsewhere(effect) if {
	regex.match(`(?i)^database( |$)`, effect.target)
	not is_test_name(regex.replace(effect.target, `^.* `, ""))
}

# A name before a point is a database of MySQL, and a schema is one.
names_elsewhere(effect) if {
	program_of(effect) in {"mysql", "mariadb"}
	regex.match(`(?i)^schema |\.`, effect.target)
}

names_elsewhere(effect) if {
	program_of(effect) in {"mongo", "mongosh"}
	regex.match(`getSiblingDB|getDB|\bconnect\(|\bMongo\(|\buse\b|\bload\(`, effect.target)
}
