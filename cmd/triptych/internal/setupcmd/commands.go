package setupcmd

import "github.com/triptych-mcp/triptych/cmd/triptych/internal/app"

// commands makes the rows of the commands of this package. They run in an app.
type commands struct{ *app.App }

// ConfigCommand returns the row of triptych config.
func ConfigCommand(a *app.App) app.Command { return commands{a}.configCommand() }

// DoctorCommand returns the row of triptych doctor.
func DoctorCommand(a *app.App) app.Command { return commands{a}.doctorCommand() }
