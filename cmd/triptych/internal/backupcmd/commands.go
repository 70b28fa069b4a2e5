package backupcmd

import "github.com/triptych-mcp/triptych/cmd/triptych/internal/app"

// commands makes the rows of the commands of this package. They run in an app.
type commands struct{ *app.App }

// BackupCommand returns the row of triptych backup.
func BackupCommand(a *app.App) app.Command { return commands{a}.backupCommand() }

// RestoreCommand returns the row of triptych restore.
func RestoreCommand(a *app.App) app.Command { return commands{a}.restoreCommand() }

// MigrateCommand returns the row of triptych migrate.
func MigrateCommand(a *app.App) app.Command { return commands{a}.migrateCommand() }
