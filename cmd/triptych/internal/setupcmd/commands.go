package setupcmd

import "github.com/triptych-mcp/triptych/cmd/triptych/internal/app"

// commands makes the rows of the commands of this package. They run in an app.
type commands struct{ *app.App }
