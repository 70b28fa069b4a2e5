package http1_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/transport/http1"
)

// TestContextAfterwards: the context of a request is over when its handler has
// returned, whether somebody has asked for what tells of that before, does so
// later, or asks by a context of its own.
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

// TestLateAnswer: what a handler writes after its return reaches nobody.
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
