package keycmd

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

func (a commands) keyFirst() command.Command {
	return command.Command{
		Name: "first", Short: "print the first key of a server and remove its file",
		Long: "A server without keys makes one. Where it is not started at a terminal, it writes the\n" +
			"key to the file keys/first-key of its data folder, as what a service prints stays in a log.",
		Flags: a.app.DataFlags,
		Run:   func(context.Context, []string) error { return a.takeFirst() },
	}
}

func (a commands) takeFirst() error {
	env, err := a.app.Env(slog.LevelWarn)
	if err != nil {
		return err
	}
	err = app.TakeFirstKey(env.Data, func(line string) error { return a.Printf("%s", line) })
	if errors.Is(err, fs.ErrNotExist) {
		return cmderr.WithHints(errors.New("there is no "+app.FirstKeyFile(env.Data)),
			"it was taken, or a key was made before; triptych key create prints another")
	}
	return err
}
