package streamable

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// TestTimeout: each exchange ends when nothing was heard of it for its time,
// unless that time was lifted or it is over.
func TestTimeout(t *testing.T) {
	const limit = time.Minute
	synctest.Test(t, func(t *testing.T) {
		h := New(Config{Timeout: limit})
		began, ended := time.Now(), map[string]time.Duration{}
		var mu sync.Mutex
		begin := func(name string) *exchange {
			e := &exchange{h: h}
			e.begin(t.Context())
			context.AfterFunc(e.ctx, func() {
				mu.Lock()
				defer mu.Unlock()
				if errors.Is(context.Cause(e.ctx), errTooLong) {
					ended[name] = time.Since(began)
				}
			})
			return e
		}
		begin("silent")
		done, listen, asking, lively := begin("done"), begin("listen"), begin("asking"), begin("lively")
		time.Sleep(limit / 2)
		done.release()
		listen.unlimit()
		listen.extend(limit)
		asking.extend(questionTimeout)
		lively.extend(limit)
		time.Sleep(2 * questionTimeout)
		synctest.Wait()
		want := map[string]time.Duration{"silent": limit, "asking": limit/2 + questionTimeout, "lively": limit/2 + limit}
		if diff := cmp.Diff(want, ended); diff != "" {
			t.Errorf("they timed out after (-want +got):\n%s", diff)
		}
		listen.release()
	})
}

// TestIdleSession: a session ends when its client was not heard for its time,
// unless something of it runs or is read.
func TestIdleSession(t *testing.T) {
	const idle = time.Hour
	synctest.Test(t, func(t *testing.T) {
		server, err := mcp.New(mcp.Config{Name: "test", Version: "1"})
		if err != nil {
			t.Fatal(err)
		}
		h := New(Config{Server: server, SessionIdle: idle})
		who := host.Principal{ID: "somebody"}
		s := &session{h: h, id: "1", principal: who.ID, mcp: host.NewSession("1"), own: newStream(ownStream, false, nil), inFlight: map[*exchange]struct{}{}, used: time.Now()}
		s.handler = server.Bind(host.Caller{Principal: who}, nil)
		s.idle = time.AfterFunc(idle, s.expire)
		if err := h.sessions.add(s); err != nil {
			t.Fatal(err)
		}
		alive := func() bool {
			synctest.Wait()
			return len(h.sessions.all(false)) == 1
		}
		time.Sleep(idle - time.Minute)
		if h.sessions.find(t.Context(), "1", &who) == nil {
			t.Fatal("it is gone before its time")
		}
		time.Sleep(idle - time.Second)
		if !alive() {
			t.Error("it is gone though its client was heard")
		}
		e := &exchange{}
		s.addExchange(e)
		time.Sleep(3 * idle)
		if !alive() {
			t.Error("it is gone though something runs")
		}
		s.removeExchange(e)
		time.Sleep(idle)
		if alive() {
			t.Error("it lives for ever")
		}
	})
}
