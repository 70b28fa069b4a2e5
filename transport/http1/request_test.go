package http1_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/transport/http1"
	"github.com/triptych-mcp/triptych/transport/pipetest"
)

// TestContextAfterwards: the context of a request, and contexts derived from it, are
// cancelled when its handler has returned.
func TestContextAfterwards(t *testing.T) {
	type key struct{}
	synctest.Test(t, func(t *testing.T) {
		contexts := make(chan context.Context, 3)
		h := open(func(_ http.ResponseWriter, r *http.Request) {
			ctx := r.Context()
			if err := ctx.Err(); err != nil {
				t.Errorf("over at the beginning: %v", err)
			}
			derived, stop := context.WithTimeout(ctx, time.Hour)
			context.AfterFunc(derived, stop)
			contexts <- derived
			<-time.After(time.Second)
			contexts <- ctx
		}, http1.Config{Context: context.WithValue(context.Background(), key{}, "value")})
		c := h.talk(t)
		for range 2 {
			c.say(post("x"))
			c.hear()
			for range 2 {
				ctx := <-contexts
				if <-ctx.Done(); !errors.Is(ctx.Err(), context.Canceled) || !errors.Is(context.Cause(ctx), context.Canceled) {
					t.Errorf("ended with %v, %v", ctx.Err(), context.Cause(ctx))
				}
				if got := ctx.Value(key{}); got != "value" {
					t.Errorf("the value is %v", got)
				}
			}
		}
		h.end()
	})
}

// TestLateAnswer: writes of a handler that has returned are dropped.
func TestLateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		writers := make(chan http.ResponseWriter, 2)
		h := open(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("First", "value")
			writers <- w
		}, http1.Config{})
		c := h.talk(t)
		for range 2 {
			c.say(post("x"))
			if r, got := c.hear(); got != "" || len(r.Header["Late"]) > 0 || r.Header.Get("First") != "value" {
				t.Errorf("got %q, header %v", got, r.Header)
			}
			synctest.Wait()
			late := <-writers
			late.Header().Set("Late", "value")
			late.WriteHeader(http.StatusTeapot)
			if _, err := late.Write([]byte("late")); err == nil {
				t.Error("it can be written")
			}
			late.(http.Flusher).Flush()
		}
		h.end()
	})
}

// A marking listener tells when a connection that it gave is no longer in memory.
type marking struct {
	net.Listener
	freed chan struct{}
}

type marked struct{ net.Conn }

func (m marking) Accept() (net.Conn, error) {
	conn, err := m.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &marked{conn}
	runtime.AddCleanup(c, func(freed chan struct{}) { close(freed) }, m.freed)
	return c, nil
}

// TestKeptContext: who keeps the context of a request for its values, as work does
// that goes on after the answer, does not keep the connection and its buffers.
func TestKeptContext(t *testing.T) {
	kept := make(chan context.Context, 1)
	server := http1.New(http1.Config{Paths: []string{"/mcp"}, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		kept <- context.WithoutCancel(r.Context())
	})})
	pipes, freed := pipetest.New(), make(chan struct{})
	h := &house{Listener: pipes, server: server, web: &http.Server{}}
	h.over.Go(func() { _ = server.Serve(marking{pipes, freed}) })
	c := h.talk(t)
	c.say(post("x"))
	c.hear()
	ctx := <-kept
	_ = c.conn.Close()
	h.end()
	for began := time.Now(); ; {
		runtime.GC()
		select {
		case <-freed:
			runtime.KeepAlive(ctx)
			return
		case <-time.After(10 * time.Millisecond):
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal("the connection is still in memory")
		}
	}
}
