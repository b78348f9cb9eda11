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
}

# METADATA
# title: A tool resets the database
# custom:
#   id: databases/reset
#   severity: high
#   modes: [ask, deny, deny]
#   instead: write a forward migration
hits contains found("databases/reset", effect) if {
	some effect in acts["database:reset"]
}

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
	command.program == "alembic"
	command.operands[0] == "downgrade"
	command.operands[1] == "base"
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
	is_production(concat(" ", command.argv))
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
	some key in {"database:flush", "database:shutdown"}
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
	not regex.match(`test|tmp|cache`, lower(effect.target))
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
