package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

var quiet = slog.New(slog.DiscardHandler)

// A family is one family served in this process, asked as a connection asks it.
type family struct {
	server  *mcp.Server
	handler jsonrpc.Handler
	answer  []byte
}

// opener is a family's configuration.
type opener interface {
	Open(ctx context.Context, env host.Env) (*mcp.Table, error)
}

func (b *bench) family(ctx context.Context, config opener, env host.Env) (*family, error) {
	env.Logger, env.Now, env.Getenv = quiet, time.Now, func(string) string { return "" }
	table, err := config.Open(ctx, env)
	if err != nil {
		return nil, err
	}
	server, err := mcp.New(mcp.Config{Name: "peers", Version: "1"}, table)
	if err != nil {
		return nil, err
	}
	return &family{server: server, handler: server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)}, nil
}

// call calls a tool; the last answer stays in f.answer.
func (f *family) call(ctx context.Context, tool, arguments string) func() error {
	req := &jsonrpc.Request{
		ID: jsonrpc.NumberID(1), Method: "tools/call",
		Params: fmt.Appendf(nil, `{"name":%q,"arguments":%s}`, tool, arguments),
	}
	return func() error {
		f.answer = jsonrpc.Answer(ctx, f.handler, req, f.answer[:0])
		if text := string(f.answer); strings.Contains(text, `"isError":true`) || !strings.Contains(text, `"result"`) {
			return fmt.Errorf("%s answered %.300s", tool, text)
		}
		return nil
	}
}

// stores measures calls in this process, without a transport, beside the least that
// such a call must do.
func (b *bench) stores(ctx context.Context) error {
	dir := filepath.Join(b.data, "rulesets")
	files, err := b.family(ctx, new(rulesets.Config), host.Env{Data: b.data, Store: dir})
	if err != nil {
		return err
	}
	readings, err := race(b.pace(),
		op{ours, files.call(ctx, "get_ruleset", `{"name":"rule_0"}`)},
		op{"reading the file", func() error { _, err := os.ReadFile(filepath.Join(dir, "rule_0.md")); return err }})
	if err = errors.Join(err, files.server.Close()); err != nil {
		return err
	}
	b.addTime("stores", "get_ruleset from files", 1.3, &readings[0], &readings[1])
	r, err := startRedis(ctx)
	if err != nil || r == nil {
		return err
	}
	return errors.Join(b.redis(ctx, r), r.stop())
}

// redis measures a small store beside a large one.
func (b *bench) redis(ctx context.Context, large *redisServer) (err error) {
	few, many := 1_000, 1_000_000
	if b.quick {
		many = 100_000
	}
	small := large.beside()
	defer func() { err = errors.Join(err, small.client.Close()) }()
	if err := errors.Join(small.fill(ctx, 0, few), large.fill(ctx, 0, many)); err != nil {
		return err
	}
	for _, shelf := range []struct {
		server *redisServer
		n      int
		goal   float64
	}{{small, few, 1.3}, {large, many, 0}} {
		readings, err := b.raceHGetAll(ctx, shelf.server, shelf.n)
		if err != nil {
			return err
		}
		b.addTime("stores", fmt.Sprintf("get_ruleset from Redis, of %s", amount(shelf.n)), shelf.goal, &readings[0], &readings[1])
	}
	pages, err := b.racePages(ctx, large, small)
	if err != nil {
		return err
	}
	pages[1].Name = "of " + amount(few)
	b.addTime("stores", fmt.Sprintf("a page of %s rulesets in Redis", amount(many)), 1.5, &pages[0], &pages[1])
	return nil
}

// raceHGetAll measures get_ruleset beside one HGETALL.
func (b *bench) raceHGetAll(ctx context.Context, r *redisServer, n int) ([]reading, error) {
	f, err := b.family(ctx, new(rulesets.Config), host.Env{Data: b.data, Store: r.url()})
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("rule_%d", n/2)
	readings, err := race(b.pace(),
		op{ours, f.call(ctx, "get_ruleset", `{"name":"`+name+`"}`)},
		op{"one HGETALL", func() error { return r.client.HGetAll(ctx, "ruleset:"+name).Err() }})
	return readings, errors.Join(err, f.server.Close())
}

// openStore opens the store of rulesets at a URL or in a folder.
func openStore(ctx context.Context, where string) (ruleset.Store, error) {
	return rulesets.OpenStore(ctx, host.Env{Store: where, Logger: quiet, Now: time.Now, Getenv: func(string) string { return "" }})
}

// racePages measures the first page of each store.
func (b *bench) racePages(ctx context.Context, servers ...*redisServer) (readings []reading, err error) {
	var ops []op
	for _, r := range servers {
		store, err := openStore(ctx, r.url())
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		ops = append(ops, firstPage(ctx, store))
	}
	return race(b.pace(), ops...)
}

// firstPage is the size of a list's page.
func firstPage(ctx context.Context, store ruleset.Store) op {
	return op{ours, func() error {
		page, _, err := store.List(ctx, ruleset.Page{Limit: 100})
		if err == nil && len(page) != 100 {
			err = fmt.Errorf("the page has %d rulesets", len(page))
		}
		return err
	}}
}

// amount writes a number with commas.
func amount(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", amount(n/1000), n%1000)
}
