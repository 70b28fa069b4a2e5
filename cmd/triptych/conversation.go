package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/stdio"
)

// A conversation is a client that talks to a server in this process, the same
// way as an editor would over standard input and output.
type conversation struct {
	client *jsonrpc.Client
	server *mcp.Server // nil when it is somewhere else
	done   sync.WaitGroup
	hangUp func()
}

// converse opens the chosen families and shakes hands. Close it.
func (a *app) converse(ctx context.Context) (*conversation, error) { return a.converseWith(ctx, nil) }

// converseRecorded is like converse; the server in this process records what it is asked
// in the audit trail, as over standard input and output.
func (a *app) converseRecorded(ctx context.Context) (*conversation, error) {
	return a.converseWith(ctx, func(ctx context.Context, env mcp.Env) (*recorder, func(), error) {
		return a.openRecorder(ctx, env, commandChain())
	})
}

func (a *app) converseWith(ctx context.Context, open func(context.Context, mcp.Env) (*recorder, func(), error)) (*conversation, error) {
	if r, err := a.dialRemote(); err != nil || r != nil {
		if err != nil {
			return nil, err
		}
		return a.converseRemotely(ctx, r)
	}
	env, err := a.env(slog.LevelWarn)
	if err != nil {
		return nil, err
	}
	r, closeRecorder := (*recorder)(nil), func() {}
	var limits []stdio.Option
	if open != nil {
		if r, closeRecorder, err = open(ctx, env); err != nil {
			return nil, err
		}
		limits = append(limits, stdio.Limits(jsonrpc.Config{
			Logger: env.Logger, Barrier: func() error { return r.commit(context.WithoutCancel(ctx)) },
		}))
	}
	server, err := a.openServer(ctx, env, r)
	if err != nil {
		closeRecorder()
		return nil, err
	}
	requests, toServer := io.Pipe()
	answers, toClient := io.Pipe()
	c := &conversation{server: server}
	c.done.Go(func() {
		defer closeRecorder()
		err := stdio.Serve(ctx, requests, toClient, server, limits...)
		_ = toClient.CloseWithError(errors.Join(io.EOF, err)) // a pipe's never fails
	})
	c.client = jsonrpc.NewClient(answers, toServer, jsonrpc.ClientConfig{})
	c.hangUp = func() { _ = toServer.Close() }
	if err := c.initialize(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Close ends the conversation, waits for the server and closes the families.
func (c *conversation) Close() error {
	c.hangUp()
	c.done.Wait()
	c.client.Close()
	if c.server == nil {
		return nil // it is somewhere else
	}
	return c.server.Close()
}

// initialize asks for the newest revision that has a handshake.
func (c *conversation) initialize(ctx context.Context) error {
	params := map[string]any{
		"protocolVersion": newestHandshake(),
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]any{"name": "triptych", "version": readBuild().Version},
	}
	if _, err := c.client.Call(ctx, "initialize", params); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	return c.client.Notify(ctx, "notifications/initialized", nil)
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

// A toolInfo is a tool as the server lists it.
type toolInfo struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	raw         json.RawMessage
}

// tools are all tools, page by page.
func (c *conversation) tools(ctx context.Context) ([]toolInfo, error) {
	var all []toolInfo
	params := map[string]any{}
	for {
		raw, err := c.client.Call(ctx, "tools/list", params)
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
			tool := toolInfo{raw: one}
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

func (c *conversation) greetAndList(ctx context.Context) ([]toolInfo, error) {
	if err := c.initialize(ctx); err != nil {
		return nil, err
	}
	return c.tools(ctx)
}

// countResources counts the resources of all pages.
func (c *conversation) countResources(ctx context.Context) (int, error) {
	count := 0
	params := map[string]any{}
	for {
		raw, err := c.client.Call(ctx, "resources/list", params)
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
