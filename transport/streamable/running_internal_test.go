package streamable

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/brief"
)

// TestLimits: each exchange ends at its own time, whatever others begin, end or
// settle meanwhile, and whatever the timer is set to.
func TestLimits(t *testing.T) {
	for _, limit := range []time.Duration{time.Minute, time.Hour} { // less and more than a question may take
		synctest.Test(t, func(t *testing.T) {
			var r running
			r.init(limit)
			began, ended := time.Now(), map[string]time.Duration{}
			begin := func(name string) *exchange {
				e := &exchange{ctx: brief.New(context.Background())}
				context.AfterFunc(e.ctx, func() {
					r.mu.Lock()
					defer r.mu.Unlock()
					if ended[name] = time.Since(began); !errors.Is(e.ctx.Cause(), errTooLong) {
						t.Errorf("%s ended for %v", name, e.ctx.Cause())
					}
				})
				r.add(e)
				return e
			}
			quick, listen, first := begin("quick"), begin("listen"), begin("first")
			r.done(quick)
			r.settle(listen)
			time.Sleep(limit / 4)
			second, asking, lively := begin("second"), begin("asking"), begin("lively")
			time.Sleep(limit / 4)
			r.lives(lively, limit)
			r.lives(asking, askTime)
			time.Sleep(3*limit + askTime)
			late := begin("late") // when the timer has long stopped
			time.Sleep(2 * limit)
			synctest.Wait()
			want := map[string]time.Duration{
				"first": limit, "second": limit + limit/4, "lively": limit + limit/2, "asking": limit/2 + askTime,
				"late": limit/2 + 3*limit + askTime + limit,
			}
			if diff := cmp.Diff(want, ended); diff != "" {
				t.Errorf("with a limit of %v they ended after (-want +got):\n%s", limit, diff)
			}
			for _, e := range []*exchange{listen, first, second, lively, asking, late} {
				r.done(e)
			}
			r.wait(t.Context())
		})
	}
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
		who := mcp.Principal{ID: "somebody"}
		s := &session{h: h, id: "1", principal: who.ID, mcp: mcp.NewSession("1"), own: newStream(ownStream, false), inFlight: map[*exchange]struct{}{}, used: time.Now()}
		s.handler = server.Bind(mcp.Caller{Principal: who}, nil)
		s.idle = time.AfterFunc(idle, s.expire)
		h.sessions.add(s)
		alive := func() bool {
			synctest.Wait()
			return len(h.sessions.living(false)) == 1
		}
		time.Sleep(idle - time.Minute)
		if h.sessions.find("1", &who) == nil {
			t.Fatal("it is gone before its time")
		}
		time.Sleep(idle - time.Second)
		if !alive() {
			t.Error("it is gone though its client was heard")
		}
		e := &exchange{}
		s.begin(e)
		time.Sleep(3 * idle)
		if !alive() {
			t.Error("it is gone though something runs")
		}
		s.leave(e)
		time.Sleep(idle)
		if alive() {
			t.Error("it lives for ever")
		}
	})
}
