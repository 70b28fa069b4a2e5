package servecmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// healthTime bounds a check: a server that takes longer is not ready.
const healthTime = 3 * time.Second

// HealthCommand returns the row of triptych health.
func HealthCommand(a *app.App) command.Command { return newCommands(a).healthCommand() }

func (a commands) healthCommand() command.Command {
	return command.Command{
		Name:  "health",
		Short: "ask a server whether it is ready; for containers and scripts",
		Long: "Exits with 0 if the server answers /readyz with 200: it can reach its store and\n" +
			"record calls. Without --url it is the one on this machine at port 8443.",
		Example: "triptych health\ntriptych health --url https://rules.example.com",
		Flags: func(set *pflag.FlagSet) {
			a.app.RemoteFlags(set)
			a.app.DataFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error { return a.health(ctx) },
	}
}

func (a commands) health(ctx context.Context) error {
	a.app.Flags.Remote.URL = cmp.Or(a.app.Flags.Remote.URL, a.app.Getenv("TRIPTYCH_URL"), "https://127.0.0.1:8443")
	server, err := a.app.DialRemote()
	if err != nil {
		return err
	}
	u, err := url.Parse(server.URL)
	if err != nil {
		return err
	}
	u.Path, u.RawQuery = "/readyz", ""
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	answer, err := server.HTTP.Do(request)
	if err != nil {
		return fmt.Errorf("no server answers: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", u, answer.Status, strings.TrimSpace(string(text)))
	}
	return a.Printf("%s", text)
}
