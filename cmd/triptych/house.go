package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/metrics"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// A house is what a server needs besides its roads.
type house struct {
	client   redis.UniversalClient // nil without a server of the stores
	keys     keys.Store
	meter    quota.Meter
	recorder *recorder
	server   *mcp.Server
	closers  []func() error
}

func (h *house) open(ctx context.Context, a *app, env mcp.Env, configure func(*mcp.Config)) (err error) {
	if h.client, err = a.dialValkey(ctx, env.Logger); err != nil {
		return err
	}
	if h.client != nil {
		h.closers = append(h.closers, h.client.Close)
	}
	if h.keys, err = a.openKeys(h.client, env); err != nil {
		return err
	}
	h.closers = append(h.closers, h.keys.Close)
	if h.meter, err = openMeter(ctx, h.client, env); err != nil {
		return err
	}
	h.closers = append(h.closers, h.meter.Close)
	h.recorder = &recorder{numbers: metrics.New(readBuild().Version)}
	if !a.flags.noAudit {
		if h.recorder.trail, err = a.openTrail(h.client, env); err != nil {
			return err
		}
		h.recorder.store = trailStore(h.client)
		h.closers = append(h.closers, h.recorder.trail.Close)
	}
	a.lend(h.recorder, &accounts{meter: h.meter, now: a.now})
	shared, err := stateKey(ctx, h.client)
	if err != nil {
		return err
	}
	if h.server, err = a.openServer(ctx, env, h.recorder, func(cfg *mcp.Config) { cfg.StateKey = shared }, configure); err != nil {
		return err
	}
	h.closers = append(h.closers, h.server.Close)
	return nil
}

// stateKeyName is where servers that share a store keep what they sign states
// with.
const stateKeyName = "triptych:state-key"

// stateKey is the key by which servers take the states that others of them gave
// to clients: the first one makes it. A server that is alone needs none.
func stateKey(ctx context.Context, client redis.UniversalClient) ([]byte, error) {
	if client == nil {
		return nil, nil
	}
	if err := client.SetNX(ctx, stateKeyName, rand.Text()+rand.Text(), 0).Err(); err != nil {
		return nil, fmt.Errorf("sharing the key of states: %w", err)
	}
	return client.Get(ctx, stateKeyName).Bytes()
}

func openMeter(ctx context.Context, client redis.UniversalClient, env mcp.Env) (quota.Meter, error) {
	if client != nil {
		return quota.NewValkey(client), nil
	}
	meter, err := quota.OpenLocal(ctx, filepath.Join(env.Data, "quota"), env.Logger)
	if errors.Is(err, quota.ErrInUse) {
		return nil, hinted(err, "end the other server, choose another --data, or let both share a --store valkey://…")
	}
	return meter, err
}

// ready reports whether what the server needs answers.
func (h *house) ready(ctx context.Context) error {
	if h.client == nil {
		return nil
	}
	return h.client.Ping(ctx).Err()
}

func (h *house) close() error {
	var errs []error
	for _, closer := range slices.Backward(h.closers) {
		errs = append(errs, closer())
	}
	return errors.Join(errs...)
}
