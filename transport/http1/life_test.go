package http1_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/transport/http1"
)

// TestGoneAfterLongBody: that the client has gone is noticed also when its
// request fills the buffer to the last byte.
func TestGoneAfterLongBody(t *testing.T) {
	for _, size := range []int{4096, 8192, 60_000} {
		synctest.Test(t, func(t *testing.T) {
			took := make(chan time.Duration, 1)
			h := open(func(_ http.ResponseWriter, r *http.Request) {
				began := time.Now()
				select {
				case <-r.Context().Done():
				case <-time.After(time.Hour):
				}
				took <- time.Since(began)
			}, http1.Config{})
			c := h.talk(t)
			c.say(sized(size))
			_ = c.conn.Close()
			if d := <-took; d > 100*time.Millisecond {
				t.Errorf("a request of %d bytes: ended after %v, want at once", size, d)
			}
			h.end()
		})
	}
}

// TestGoneAfterQuickRequests: that the client has gone, or that the time is over, is
// noticed as soon behind requests that came often, wherever their timer stands.
func TestGoneAfterQuickRequests(t *testing.T) {
	for _, pause := range []time.Duration{0, 7 * time.Millisecond, 19 * time.Millisecond, 20 * time.Millisecond, time.Second} {
		for _, quick := range []int{0, 1, 2, 3, 10} {
			synctest.Test(t, func(t *testing.T) {
				gone, late := endAfter(t, quick, pause, true), endAfter(t, quick, pause, false)
				if gone > 40*time.Millisecond || late < time.Minute || late > time.Minute+40*time.Millisecond {
					t.Errorf("behind %d requests each %v: the client has gone for %v, the time is over after %v", quick, pause, gone, late)
				}
			})
		}
	}
}

// endAfter returns the duration of a request with a limit of a minute, after quick
// ones; its client disconnects or stays.
func endAfter(t *testing.T, quick int, pause time.Duration, leaves bool) time.Duration {
	var slow atomic.Bool
	took := make(chan time.Duration, 1)
	h := open(func(_ http.ResponseWriter, r *http.Request) {
		if began := time.Now(); slow.Load() {
			<-r.Context().Done()
			took <- time.Since(began)
		}
	}, http1.Config{RequestTime: time.Minute})
	defer h.end()
	c := h.talk(t)
	for range quick {
		c.say(post("x"))
		c.hear()
		time.Sleep(pause)
	}
	slow.Store(true)
	c.say(post("x"))
	if leaves {
		_ = c.conn.Close()
	}
	return <-took
}

// sized is a request of so many bytes.
func sized(n int) string {
	for length := n; ; length-- {
		if text := post(strings.Repeat("x", length)); len(text) == n {
			return text
		}
	}
}

// TestIdleAfterLongRequest: the time between requests begins when the answer is
// written, however long that took.
func TestIdleAfterLongRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(func(w http.ResponseWriter, r *http.Request) {
			control := http.NewResponseController(w)
			if control.SetReadDeadline(time.Time{}) != nil || control.SetWriteDeadline(time.Time{}) != nil {
				t.Error("deadlines cannot be set")
			}
			time.Sleep(time.Hour)
			tell(w, r)
		}, http1.Config{IdleTime: 40 * time.Second})
		c := h.talk(t)
		c.say(post("x"))
		r, _ := c.hear()
		if at, err := http.ParseTime(r.Header.Get("Date")); err != nil || time.Since(at) > time.Second {
			t.Errorf("the answer is of %v, %v, want %v", at, err, time.Now())
		}
		began := time.Now()
		if over := c.isOver(); !over || time.Since(began) < 40*time.Second {
			t.Errorf("over: %v after %v, want after 40s", over, time.Since(began))
		}
		h.end()
	})
}

// TestEmptyLine: an empty line behind a body is passed over, as net/http does.
func TestEmptyLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(tell, http1.Config{})
		c := h.talk(t)
		c.say(post("one") + "\r\n")
		c.hear()
		c.say(post("two"))
		c.hear()
		c.say("\r\n")
		c.say(post("three"))
		if _, got := c.hear(); got != "true POST three" {
			t.Errorf("got %q", got)
		}
		h.end()
	})
}

// TestNoDeadlineGoesAlong: who gets a connection finds no deadline on it of a
// request that was served before.
func TestNoDeadlineGoesAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(func(w http.ResponseWriter, r *http.Request) {
			if !taken(w) {
				time.Sleep(time.Hour)
			}
			tell(w, r)
		}, http1.Config{})
		c := h.talk(t)
		c.say(post("one"))
		c.hear()
		c.say("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if _, got := c.hear(); got != "false GET " {
			t.Errorf("got %q", got)
		}
		h.end()
	})
}

// TestShutdownDuringTLS: a client that never finishes TLS holds nothing up.
func TestShutdownDuringTLS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(tell, http1.Config{TLS: &tls.Config{}})
		c := h.talk(t)
		synctest.Wait()
		began := time.Now()
		if err := h.server.Shutdown(t.Context()); err != nil || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if !c.isOver() {
			t.Error("the connection goes on")
		}
		h.end()
	})
}

// TestCloseEndsContexts: Close also cancels a request when the next one has arrived,
// so that the connection is not watched.
func TestCloseEndsContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		h := open(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-time.After(time.Hour):
			}
			ended <- r.Context().Err()
		}, http1.Config{})
		c := h.talk(t)
		c.say(post("one") + post("two"))
		time.Sleep(time.Second)
		c.say(post("three"))
		h.end()
		if err := <-ended; err == nil {
			t.Error("the request went on for an hour")
		}
	})
}

// TestMuteClient: a client that does not read cannot hold up Shutdown longer than
// wanted by the goodbye of TLS, nor Close.
func TestMuteClient(t *testing.T) {
	other := httptest.NewTLSServer(nil)
	cfg := &tls.Config{Certificates: other.TLS.Certificates, SessionTicketsDisabled: true}
	other.Close()
	synctest.Test(t, func(t *testing.T) {
		h := open(tell, http1.Config{TLS: cfg})
		for range 3 {
			conn, err := h.Dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if err := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}).HandshakeContext(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		began := time.Now()
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := h.server.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("shutdown: %v after %v, want the deadline's error after 1s", err, time.Since(began))
		}
		h.server.Close()
		synctest.Wait()
		if took := time.Since(began); took != time.Second {
			t.Errorf("closed after %v, want 1s", took)
		}
		h.end()
	})
}
