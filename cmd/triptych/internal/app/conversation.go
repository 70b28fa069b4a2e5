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
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/stdio"
)

// A Conversation is a client that talks to a server in this process, the same
// way as an editor would over standard input and output.
type Conversation struct {
	Client *jsonrpc.Client
	server *mcp.Server // nil when it is somewhere else
	done   sync.WaitGroup
	hangUp func()
}

// Converse opens the chosen families and shakes hands. Close it.
func (a *App) Converse(ctx context.Context) (*Conversation, error) { return a.converseWith(ctx, nil) }

// ConverseRecorded is like Converse; the server in this process records what it is asked
// in the audit trail, as over standard input and output.
func (a *App) ConverseRecorded(ctx context.Context) (*Conversation, error) {
	return a.converseWith(ctx, func(ctx context.Context, env mcp.Env) (*recorder.Recorder, func(), error) {
		return a.OpenRecorder(ctx, env, recorder.CommandChain())
	})
}

func (a *App) converseWith(ctx context.Context, open func(context.Context, mcp.Env) (*recorder.Recorder, func(), error)) (*Conversation, error) {
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
	c := &Conversation{server: server}
	c.done.Go(func() {
		defer closeRecorder()
		err := stdio.Serve(ctx, requests, toClient, server, limits...)
		_ = toClient.CloseWithError(errors.Join(io.EOF, err)) // a pipe's never fails
	})
	c.Client = jsonrpc.NewClient(answers, toServer, jsonrpc.ClientConfig{Canceled: c.cancel})
	c.hangUp = func() { _ = toServer.Close() }
	if err := c.initialize(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Close ends the conversation, waits for the server and closes the families.
func (c *Conversation) Close() error {
	c.hangUp()
	c.done.Wait()
	c.Client.Close()
	if c.server == nil {
		return nil // it is somewhere else
	}
	return c.server.Close()
}

// cancel tells the server of a call whose answer is not awaited any more.
func (c *Conversation) cancel(id int64) {
	_ = c.Client.Notify(context.Background(), "notifications/cancelled", map[string]int64{"requestId": id}) // else it has ended
}

// initialize asks for the newest revision that has a handshake.
func (c *Conversation) initialize(ctx context.Context) error {
	params := map[string]any{
		"protocolVersion": newestHandshake(),
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]any{"name": "triptych", "version": buildinfo.Read().Version},
	}
	if _, err := c.Client.Call(ctx, "initialize", params); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	return c.Client.Notify(ctx, "notifications/initialized", nil)
}

func newestHandshake() string {
	name := ""
	for _, rev := range mcp.Revisions() {
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

// Tools are all tools, page by page.
func (c *Conversation) Tools(ctx context.Context) ([]ToolInfo, error) {
	var all []ToolInfo
	params := map[string]any{}
	for {
		raw, err := c.Client.Call(ctx, "tools/list", params)
		if isMissingMethod(err) {
			return nil, nil // no family has tools
		}
		if err != nil {
			return nil, err
		}
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, fmt.Errorf("tools/list: %w", err)
		}
		for _, one := range page.Tools {
			tool := ToolInfo{Raw: one}
			if err := json.Unmarshal(one, &tool); err != nil {
				return nil, fmt.Errorf("tools/list: %w", err)
			}
			all = append(all, tool)
		}
		if page.NextCursor == "" {
			return all, nil
		}
		params["cursor"] = page.NextCursor
	}
}

// isMissingMethod reports whether the server does not have the method.
func isMissingMethod(err error) bool {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && rpc.Code == jsonrpc.CodeMethodNotFound
}

func (c *Conversation) InitializeAndListTools(ctx context.Context) ([]ToolInfo, error) {
	if err := c.initialize(ctx); err != nil {
		return nil, err
	}
	return c.Tools(ctx)
}

// CountResources counts the resources of all pages.
func (c *Conversation) CountResources(ctx context.Context) (int, error) {
	count := 0
	params := map[string]any{}
	for {
		raw, err := c.Client.Call(ctx, "resources/list", params)
		if isMissingMethod(err) {
			return 0, nil // the family has none
		}
		if err != nil {
			return 0, err
		}
		var page struct {
			Resources  []json.RawMessage `json:"resources"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return 0, fmt.Errorf("resources/list: %w", err)
		}
		count += len(page.Resources)
		if page.NextCursor == "" {
			return count, nil
		}
		params["cursor"] = page.NextCursor
	}
}
