package webhook

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Lead implements [Record].
func (v *Valkey) Lead(ctx context.Context, deliver func(context.Context) error) error {
	for warned := false; ; {
		start := time.Now()
		leads, err := v.run(ctx, acquireScript, v.token, v.life.Milliseconds())
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && !warned {
			v.log.Warn("webhook: the store does not say which server sends", "error", err)
		}
		warned = err != nil
		if leads {
			if err := v.leadFrom(ctx, start, deliver); !errors.Is(err, errLostLease) {
				return err
			}
			v.log.Info("webhook: another server may send now, waiting for the next turn")
		}
		wait(ctx, v.every)
	}
}

// acquireScript gets the lease if no process has it, or the caller does, whom an earlier
// answer did not reach.
var acquireScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0`)

// leadFrom calls deliver while this process has the lease that it asked for at a time. The
// error is errLostLease where it could not be renewed.
func (v *Valkey) leadFrom(ctx context.Context, start time.Time, deliver func(context.Context) error) error {
	turn, end := context.WithCancelCause(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { v.keepLease(turn, start, end) })
	err := deliver(turn)
	lost := context.Cause(turn)
	end(nil)
	renewing.Wait()
	if errors.Is(err, errLostLease) || errors.Is(lost, errLostLease) {
		return errLostLease
	}
	v.release(ctx)
	return err
}

// renewScript makes a lease last again, if the caller has it.
var renewScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`)

// releaseScript removes a lease, if the caller has it.
var releaseScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`)

// keepLease renews the lease until turn is done. It ends the turn with errLostLease when
// another process has the lease, and before one may get it: at five sixths of its life
// since the last request that renewed it was sent.
func (v *Valkey) keepLease(turn context.Context, start time.Time, end context.CancelCauseFunc) {
	lost := func() { end(errLostLease) }
	life := v.life * 5 / 6
	expiry := time.AfterFunc(time.Until(start.Add(life)), lost)
	defer expiry.Stop()
	ticker := time.NewTicker(v.renew)
	defer ticker.Stop()
	for {
		select {
		case <-turn.Done():
			return
		case <-ticker.C:
		}
		sent := time.Now()
		renewed, err := v.run(turn, renewScript, v.token, v.life.Milliseconds())
		switch {
		case err != nil: // the store is away, perhaps for a short time
		case !renewed:
			lost()
		default:
			expiry.Reset(time.Until(sent.Add(life)))
		}
	}
}

// release removes the lease, so that another process need not wait for its end.
func (v *Valkey) release(ctx context.Context) {
	_, _ = v.run(context.WithoutCancel(ctx), releaseScript, v.token) // else it expires
}

// run runs a script about the lease.
func (v *Valkey) run(ctx context.Context, script *redis.Script, args ...any) (bool, error) {
	ctx, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	return script.Run(ctx, v.client, v.keys[1:], args...).Bool()
}
