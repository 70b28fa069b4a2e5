package servecmd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/answers"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/diskspace"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/peers"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/metrics"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// services are the parts of a server that its transports share.
type services struct {
	slow     time.Duration         // calls that take longer are logged
	name     string                // of the server among those of the store
	client   redis.UniversalClient // nil without a server of the stores
	keys     keys.Store
	meter    quota.Meter
	recorder *recorder.Recorder
	server   *mcp.Server
	disk     *diskspace.Watch
	secret   []byte          // that the servers of the store share; nil without one
	prefix   string          // of the names of keys in the store
	peers    *peers.Sessions // those of the other servers of the store; nil without one
	registry *peers.Registry
	owners   *peers.Owners
	closers  []func() error
}

func (s *services) open(ctx context.Context, a commands, env host.Env, configure func(*mcp.Config)) (err error) {
	s.prefix = env.StorePrefix
	s.recorder = recorder.New(metrics.New(buildinfo.Read().Version), env.Logger.With("component", "requests"), s.slow)
	s.disk = a.watchDisk(env)
	s.recorder.OnFailure(func(err error) { s.disk.Saw(trailFolder(env), err) })
	ctx = valkeyconn.WithHook(ctx, s.recorder.StoreHook())
	if s.client, err = a.app.DialValkey(ctx, env.Logger); err != nil {
		return err
	}
	if s.client != nil {
		s.closers = append(s.closers, s.client.Close)
		if err := checkStoreAtStart(ctx, s.client, env.StorePrefix, env.Logger); err != nil {
			return err
		}
	}
	if s.keys, err = a.app.OpenKeys(s.client, env); err != nil {
		return err
	}
	s.closers = append(s.closers, s.keys.Close)
	env.Names = func(ctx context.Context, ids []string) map[string]string { return keys.Names(ctx, s.keys, ids) }
	if s.meter, err = app.OpenMeter(ctx, s.client, env); err != nil {
		return err
	}
	s.closers = append(s.closers, s.meter.Close)
	closeTelemetry, err := s.recorder.OpenTelemetry(ctx, a.app.Flags.OTLP, env, s.name)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() error {
		closeTelemetry()
		return nil
	})
	if !a.app.Flags.Audit.NoAudit {
		if err := s.recorder.OpenTrail(ctx, &a.app.Flags.Audit, s.client, env, s.name); err != nil {
			return err
		}
		s.closers = append(s.closers, s.recorder.CloseTrail)
	}
	s.recorder.LendTo(a.app.Configs.Debugger, &recorder.Accounts{Meter: s.meter, Now: a.app.Now})
	if s.secret, err = stateKey(ctx, s.client, env); err != nil {
		return err
	}
	if s.client != nil {
		s.peers, s.registry = peers.NewSessions(s.client, env.StorePrefix, env.Logger), peers.NewRegistry(s.client, env.StorePrefix, s.name)
		s.owners = peers.NewOwners(s.client, s.registry, func(family, key string) bool { return s.server.HasState(family, key) })
	}
	if s.server, err = a.app.OpenServer(ctx, env, s.recorder, func(cfg *mcp.Config) {
		cfg.StateKey = s.secret
		if s.client != nil {
			cfg.Oversize = answers.NewShared(s.client, env.StorePrefix)
			cfg.Tasks = peers.NewTasks(s.client, s.registry)
			cfg.Explain = s.owners.Explain
			cfg.Observe = s.owners.Observe(cfg.Observe)
		}
	}, configure); err != nil {
		return err
	}
	s.closers = append(s.closers, s.server.Close)
	return nil
}

// stateKeyName names the key in a shared store with which its servers sign states.
const stateKeyName = "triptych:state-key"

// stateKey returns the key that protects the ids of sessions and the states that clients
// are given. The servers of a store share it; a server without one has it in its data
// folder, so that sessions go on after a restart. The first server makes it.
func stateKey(ctx context.Context, client redis.UniversalClient, env host.Env) ([]byte, error) {
	if client == nil {
		secret, err := secretFile(filepath.Join(env.Data, filepath.FromSlash(secretName)))
		if err != nil {
			env.Logger.Warn("sessions end with this server", "err", err)
		}
		return secret, nil
	}
	name := env.StorePrefix + stateKeyName
	if key, err := client.Get(ctx, name).Bytes(); err == nil {
		return key, nil // also when the store has no memory for another
	}
	if err := client.SetNX(ctx, name, rand.Text()+rand.Text(), 0).Err(); err != nil {
		return nil, fmt.Errorf("sharing the key of states: %w", err)
	}
	return client.Get(ctx, name).Bytes()
}

// handshakes returns the meter of the handshakes of all servers of a store, nil without
// one.
func (s *services) handshakes() quota.Meter {
	if s.client == nil {
		return nil
	}
	return s.meter
}

// readyKey is a key of the store that is written to see whether it can be.
const readyKey = "triptych:ready"

// ready returns an error while records wait for the audit trail that cannot be
// written, a disk is full, or the store cannot be written: a read-only replica answers
// pings, too. A store without memory is still good for look-ups.
func (s *services) ready(ctx context.Context) error {
	trail := s.recorder.Commit(ctx)
	if err := s.disk.Err(); err != nil && s.client == nil { // also the cause of the other; a store has the keys and the trail
		return &https.NotReadyError{Reason: "the disk is full", Err: err}
	}
	if trail != nil {
		return &https.NotReadyError{Reason: "the audit trail cannot be written", Err: trail}
	}
	if s.client == nil {
		return nil
	}
	err := s.client.Set(ctx, s.prefix+readyKey, "", time.Minute).Err()
	if err == nil || strings.HasPrefix(err.Error(), "OOM ") {
		return nil // look-ups go on as long as they are recorded
	}
	return &https.NotReadyError{Reason: "the store cannot be written", Err: err}
}

func (s *services) close() error {
	var errs []error
	for _, closer := range slices.Backward(s.closers) {
		errs = append(errs, closer())
	}
	return errors.Join(errs...)
}
