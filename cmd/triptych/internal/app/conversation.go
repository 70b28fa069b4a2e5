package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/client"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/stdio"
)

// A Conversation is a client that talks to a server in this process, the same
// way as an editor would over standard input and output.
type Conversation struct {
	Client *client.Client
	end    func() error
}

// Converse opens the chosen families and shakes hands. Close it.
func (a *App) Converse(ctx context.Context) (*Conversation, error) { return a.converseWith(ctx, nil) }

// ConverseRecorded is like Converse; the server in this process records what it is asked
// in the audit trail, as over standard input and output.
func (a *App) ConverseRecorded(ctx context.Context) (*Conversation, error) {
	return a.converseWith(ctx, func(ctx context.Context, env host.Env) (*recorder.Recorder, func(), error) {
		return a.OpenRecorder(ctx, env, recorder.CommandChain())
	})
}

func (a *App) converseWith(ctx context.Context, open func(context.Context, host.Env) (*recorder.Recorder, func(), error)) (*Conversation, error) {
	if r, err := a.DialRemote(); err != nil || r != nil {
		if err != nil {
			return nil, err
		}
		return a.converseRemotely(ctx, r)
	}
	env, err := a.Env(slog.LevelWarn)
	if err != nil {
		return nil, err
	}
	r, closeRecorder := (*recorder.Recorder)(nil), func() {}
	var limits []stdio.Option
	if open != nil {
		if r, closeRecorder, err = open(ctx, env); err != nil {
			return nil, err
		}
		limits = append(limits, stdio.Limits(jsonrpc.Config{
			Logger: env.Logger, Barrier: func() error { return r.Commit(context.WithoutCancel(ctx)) },
		}))
	}
	server, err := a.OpenServer(ctx, env, r)
	if err != nil {
		closeRecorder()
		return nil, err
	}
	requests, toServer := io.Pipe()
	answers, toClient := io.Pipe()
	var done sync.WaitGroup
	done.Go(func() {
		defer closeRecorder()
		err := stdio.Serve(ctx, requests, toClient, server, limits...)
		_ = toClient.CloseWithError(errors.Join(io.EOF, err)) // a pipe's never fails
	})
	rpc := dial(answers, toServer)
	return a.begin(ctx, rpc, func() error {
		_ = toServer.Close() // a pipe's never fails
		done.Wait()
		rpc.Close()
		return server.Close()
	})
}

// dial returns a client over streams that tells the server of calls whose answers are not awaited
// any more.
func dial(in io.Reader, out io.Writer) (rpc *jsonrpc.Client) {
	return jsonrpc.NewClient(in, out, jsonrpc.ClientConfig{Canceled: func(id int64) {
		_ = rpc.Notify(context.Background(), "notifications/cancelled", map[string]int64{"requestId": id}) // else it has ended
	}})
}

// begin shakes hands over a connection, which end ends.
func (a *App) begin(ctx context.Context, conn client.Conn, end func() error) (*Conversation, error) {
	c := &Conversation{Client: NewClient(conn), end: end}
	if err := c.initialize(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// NewClient returns a client with the name of this program.
func NewClient(conn client.Conn) *client.Client {
	return client.New(conn, client.Config{Name: "triptych", Version: buildinfo.Read().Version})
}

// Close ends the conversation, waits for the server and closes the families.
func (c *Conversation) Close() error { return c.end() }

// initialize begins the newest revision that has a handshake: the sessions of later ones have no end.
func (c *Conversation) initialize(ctx context.Context) error {
	_, err := c.Client.Initialize(ctx, newestHandshake())
	return err
}

func newestHandshake() string {
	name := ""
	for _, rev := range host.Revisions() {
		if !rev.Modern {
			name = rev.Name
		}
	}
	return name
}

// A ToolInfo is a tool as the server lists it.
type ToolInfo struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Raw         json.RawMessage
}

// Tools returns all tools.
func (c *Conversation) Tools(ctx context.Context) ([]ToolInfo, error) {
	list, err := c.list(ctx, "tools")
	all := make([]ToolInfo, 0, len(list))
	for _, one := range list {
		tool := ToolInfo{Raw: one}
		if err := json.Unmarshal(one, &tool); err != nil {
			return nil, fmt.Errorf("tools/list: %w", err)
		}
		all = append(all, tool)
	}
	return all, err
}

// list returns the items of a list, none if the families do not have it.
func (c *Conversation) list(ctx context.Context, what string) ([]json.RawMessage, error) {
	all, err := c.Client.List(ctx, what)
	if client.IsMissingMethod(err) {
		return nil, nil
	}
	return all, err
}

// InitializeAndListTools shakes hands and returns the tools.
func (c *Conversation) InitializeAndListTools(ctx context.Context) ([]ToolInfo, error) {
	if err := c.initialize(ctx); err != nil {
		return nil, err
	}
	return c.Tools(ctx)
}

// CountResources returns the number of resources.
func (c *Conversation) CountResources(ctx context.Context) (int, error) {
	all, err := c.list(ctx, "resources")
	return len(all), err
}
