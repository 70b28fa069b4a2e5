package keys

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

const (
	// listenAgain is the time that a watch waits before it subscribes again.
	listenAgain = 500 * time.Millisecond
	// listenFor is the time that a watch listens before it checks whether the server
	// is still there.
	listenFor = 5 * time.Second
)

// Watch implements [Store]. A notice that is lost is made up for by asking for the version
// several times a second. It ends its second goroutine before it returns.
func (s *ValkeyStore) Watch(ctx context.Context) error {
	var wg sync.WaitGroup
	wg.Go(func() { s.poll(ctx) })
	defer wg.Wait()
	for ctx.Err() == nil {
		if err := s.listen(ctx); ctx.Err() == nil {
			s.log.Debug("notices of changed keys are not heard for now", "err", err)
			pause(ctx, listenAgain)
		}
	}
	return nil
}

// pause waits for some time or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// poll asks for the version at every tick until ctx is done, revokes keys again whose
// revocation the store has lost, and logs when the server goes and comes.
func (s *ValkeyStore) poll(ctx context.Context) {
	away := false
	for ctx.Err() == nil {
		err := s.refresh(ctx, s.clock())
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !away:
			s.log.Warn("keys cannot be looked up", "err", err)
		case err == nil && away:
			s.log.Info("keys can be looked up again")
		}
		away = err != nil
		s.revokeAgain(ctx)
		pause(ctx, pollEvery)
	}
}

// listen refreshes the ring at each notice of one subscription until it breaks, and returns
// why. A connection that is silent is pinged, and given up when it does not answer: a server
// that was cut off sends no end.
func (s *ValkeyStore) listen(ctx context.Context) error {
	events := s.client.Subscribe(ctx, s.names.events)
	hangUp := sync.OnceFunc(func() { _ = events.Close() }) // nothing to lose
	defer hangUp()
	defer context.AfterFunc(ctx, hangUp)()
	for pinged := false; ; {
		_, err := events.ReceiveTimeout(ctx, listenFor)
		switch {
		case err == nil: // a notice, an answer to a ping, or the subscription: a change may have gone before
			pinged = false
			_ = s.refresh(ctx, s.clock()) // poll logs failures
		case !isTimeout(err) || pinged:
			return err
		default:
			pinged = true
			if err := events.Ping(ctx); err != nil {
				return err
			}
		}
	}
}

// isTimeout reports whether nothing came in time, which is no failure of a
// subscription.
func isTimeout(err error) bool {
	netErr, ok := errors.AsType[net.Error](err)
	return ok && netErr.Timeout()
}
