package servecmd

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/console"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/routes"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// ConsoleCommand returns the row of triptych console.
func ConsoleCommand(a *app.App) command.Command { return newCommands(a).consoleCommand() }

func (a commands) consoleCommand() command.Command {
	var listen string
	return command.Command{
		Name:  "console",
		Short: "open the pages for people, at an address that signs in once",
		Long: "Serves the console of this data folder or store on loopback, for the user who\n" +
			"runs the command, until it is interrupted. With --url it is the console of a\n" +
			"server instead, and the key signs in. The address works once, within five\n" +
			"minutes.",
		Example: "triptych console\ntriptych console --url https://rules.example.com --key-env TEAM_KEY",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&listen, "listen", "127.0.0.1:0", "listen on this loopback `address`")
			a.app.RemoteFlags(set)
			a.app.ServerFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			r, err := a.app.DialRemote()
			switch {
			case err != nil:
				return err
			case r != nil:
				return linkTo(ctx, a.IO, r)
			}
			return a.serveConsole(ctx, listen)
		},
	}
}

// linkTo prints an address that signs in at the console of a server.
func linkTo(ctx context.Context, out *cmdio.IO, r *app.Remote) error {
	u, err := url.Parse(r.URL)
	if err != nil {
		return err
	}
	r.URL = u.Scheme + "://" + u.Host + "/link"
	resp, err := r.Do(ctx, http.MethodPost, nil, nil)
	if err != nil {
		return app.WithReachHint(err)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	var link struct {
		Path string `json:"path"`
	}
	if resp.StatusCode != http.StatusOK || json.Unmarshal(body, &link) != nil {
		return cmderr.WithHints(fmt.Errorf("the server answered %s", resp.Status), "is its console on? triptych serve --console always", "does the key work? triptych key show")
	}
	return out.Printf("%s://%s%s\n", u.Scheme, u.Host, link.Path)
}

// serveConsole serves the console of the data that the flags and the environment name,
// without keys and quotas: everybody who has the address is the user of the process.
func (a commands) serveConsole(ctx context.Context, listen string) (err error) {
	name, _, splitErr := net.SplitHostPort(listen)
	if splitErr != nil || !app.IsLoopback(name) {
		return cmderr.UsageErrorf("--listen is %q, want a loopback address such as 127.0.0.1:8080", listen)
	}
	env, err := a.app.Env(slog.LevelWarn)
	if err != nil {
		return err
	}
	r, closeRecorder, err := a.app.OpenRecorder(ctx, env, recorder.CommandChain())
	if err != nil {
		return err
	}
	defer closeRecorder()
	r.RecordAtOnce()
	server, err := a.app.OpenServer(ctx, env, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	client, err := a.app.DialValkey(ctx, env.Logger)
	if err != nil {
		return err
	}
	if client != nil {
		defer func() { _ = client.Close() }() // every answer has come
	}
	store, err := a.app.OpenKeys(client, env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	secret := rand.Text() + rand.Text()
	owner := localOwner{streamable.Key(secret)}
	endpoint := streamable.New(streamable.Config{Server: server, Auth: owner, Loopback: true, Barrier: r.Commit, Logger: env.Logger})
	cfg := a.consoleConfig(endpoint, owner, r, store, env)
	cfg.Sessions = nil // those of another process
	cfg.LastUse = nil
	pages := console.New(cfg)
	table := tableOf(endpoint, r)
	table.Routes = pages.Routes()
	return openPages(ctx, a.IO, listen, table, endpoint, pages.Link(host.Local().ID, secret), env)
}

// openPages serves a console on a listener of its own and prints its address.
func openPages(ctx context.Context, out *cmdio.IO, listen string, table routes.Config, endpoint *streamable.Handler, link string, env host.Env) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return cmderr.WithHints(err, "choose another address with --listen")
	}
	if err := out.Printf("http://%s%s\n", listener.Addr(), link); err != nil {
		return errors.Join(err, listener.Close())
	}
	fmt.Fprintln(out.Err, "triptych: open this address in a browser; it works once, and Ctrl-C ends the console")
	web := https.New(https.Config{Routes: table, Drain: endpoint.Shutdown, Logger: env.Logger})
	return web.Serve(ctx, listener)
}

// A localOwner authenticates the user of the process by a secret of the process.
type localOwner struct{ streamable.Authenticator }

// Authenticate implements [streamable.Authenticator].
func (o localOwner) Authenticate(header http.Header, r *http.Request) (host.Caller, *streamable.Refusal) {
	caller, refused := o.Authenticator.Authenticate(header, r)
	if refused != nil {
		refused.Error = jsonrpc.Errorf(host.CodeAuthentication, "run triptych console again for a new address")
	}
	return caller, refused
}

// consoleConfig returns the parts of a server that its console shows.
func (a commands) consoleConfig(endpoint *streamable.Handler, auth console.Authenticator, r *recorder.Recorder, store keys.Store, env host.Env) console.Config {
	cfg := console.Config{
		Version: buildinfo.Read().Version, Endpoint: endpoint, Auth: auth, Scopes: a.app.KeyScopes(),
		Keys: func(by host.Caller) keys.Store {
			return &recorder.RecordedKeys{Store: store, Record: func(ctx context.Context, method, id string) error {
				return r.RecordAdministrationBy(ctx, by, method, id)
			}}
		},
		LastUse:   r.LastUse,
		Render:    renderer(),
		Consumers: a.app.Configs.Rulesets.Consumers,
		Exported:  exportedRecord,
		Sessions:  endpoint.SessionInfos,
		Now:       a.app.Now, Logger: env.Logger.With("component", "console"),
	}
	if r.Records() {
		cfg.Trail = consoleTrail{r}
	}
	if a.serves("aoc") {
		cfg.Book = a.app.Configs.AoC.Book(env)
	}
	if a.serves("debugger") {
		cfg.Debugging = a.app.Configs.Debugger.Overview
	}
	return cfg
}
