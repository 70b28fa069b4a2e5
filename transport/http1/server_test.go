package http1_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/transport/http1"
	"github.com/triptych-mcp/triptych/transport/pipetest"
)

// A house is a server with net/http behind it.
type house struct {
	*pipetest.Listener
	server *http1.Server
	web    *http.Server
	over   sync.WaitGroup
}

// open starts a house that the caller ends.
func open(handler http.HandlerFunc, cfg http1.Config) *house {
	cfg.Handler, cfg.Paths = handler, []string{"/mcp"}
	h := &house{
		Listener: pipetest.New(),
		server:   http1.New(cfg), web: &http.Server{Handler: handler, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)},
	}
	h.over.Go(func() { _ = h.web.Serve(h.server.Fallback()) })
	h.over.Go(func() { _ = h.server.Serve(h.Listener) })
	return h
}

// end closes everything.
func (h *house) end() {
	_ = h.Listener.Close()
	h.server.Close()
	_ = h.web.Close()
	h.over.Wait()
}

// A talk is a connection from the client's side.
type talk struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func (h *house) talk(t *testing.T) *talk {
	conn, err := h.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &talk{t, conn, bufio.NewReader(conn)}
}

func (c *talk) say(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, text); err != nil {
		c.t.Fatal(err)
	}
}

// hear reads an answer and its body.
func (c *talk) hear() (*http.Response, string) {
	c.t.Helper()
	r, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return r, string(body)
}

// isOver reports whether the server closes the connection without an answer.
func (c *talk) isOver() bool {
	n, err := c.in.Read(make([]byte, 1))
	return n == 0 && err != nil
}

func post(body string) string {
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// taken says who serves a request: net/http's connections can be hijacked.
func taken(w http.ResponseWriter) bool {
	_, ok := w.(http.Hijacker)
	return !ok
}

// tell answers with who serves, and with the body.
func tell(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, _ = fmt.Fprintf(w, "%v %s %s", taken(w), r.Method, body)
}

// TestWhoServes: requests of the plain form are taken, also in a row and in
// pieces. From the first other one on the connection is net/http's.
func TestWhoServes(t *testing.T) {
	long := strings.Repeat("x", 60_000)
	synctest.Test(t, func(t *testing.T) {
		h := open(tell, http1.Config{})
		c := h.talk(t)
		for _, tt := range []struct{ say, want string }{
			{post("one"), "true POST one"},
			{post("two"), "true POST two"},
			{post(long), "true POST " + long},
			{post("three"), "true POST three"},
			{"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", "false GET "},
			{post("four"), "false POST four"},
		} {
			c.say(tt.say)
			if _, got := c.hear(); got != tt.want {
				t.Errorf("got %.40q, want %.40q", got, tt.want)
			}
		}
		h.end()
	})
}

// TestPipelining: requests that come together are answered in their order, also
// when the last of them is for net/http.
func TestPipelining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(tell, http1.Config{})
		c := h.talk(t)
		go write(c.conn, post("one")+post("two")+"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"+post("three"))
		for _, want := range []string{"true POST one", "true POST two", "false GET ", "false POST three"} {
			if _, got := c.hear(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		h.end()
	})
}

// TestPieces: a request byte by byte is taken if its body does not take long,
// and else net/http waits for the rest.
func TestPieces(t *testing.T) {
	for _, tt := range []struct {
		pause time.Duration
		want  string
	}{{time.Millisecond, "true POST abc"}, {100 * time.Millisecond, "false POST abc"}} {
		synctest.Test(t, func(t *testing.T) {
			h := open(tell, http1.Config{})
			c := h.talk(t)
			for _, b := range []byte(post("abc")) {
				c.say(string(b))
				time.Sleep(tt.pause)
			}
			if _, got := c.hear(); got != tt.want {
				t.Errorf("a byte in %v: %q, want %q", tt.pause, got, tt.want)
			}
			h.end()
		})
	}
}

// TestSlowHead: a head has its time, from the beginning of the connection or
// from its first byte on.
func TestSlowHead(t *testing.T) {
	for name, before := range map[string]string{"first": "", "second": post("x")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(tell, http1.Config{HeaderTime: 10 * time.Second})
				c := h.talk(t)
				if before != "" {
					c.say(before)
					c.hear()
					time.Sleep(30 * time.Second)
				}
				began := time.Now()
				var trickle sync.WaitGroup
				trickle.Go(func() {
					for _, b := range []byte("POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("A: b\r\n", 100)) {
						if _, err := c.conn.Write([]byte{b}); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				})
				if over := c.isOver(); !over || time.Since(began) != 10*time.Second {
					t.Errorf("over: %v after %v, want after 10s", over, time.Since(began))
				}
				h.end()
				trickle.Wait()
			})
		})
	}
}

// TestIdle: a connection without requests is closed after IdleTime, or up to a
// quarter later, however many requests it had.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(tell, http1.Config{IdleTime: 40 * time.Second})
		c := h.talk(t)
		for range 5 {
			c.say(post("x"))
			c.hear()
			time.Sleep(20 * time.Second)
		}
		c.say(post("x"))
		c.hear()
		began := time.Now()
		over := c.isOver()
		if took := time.Since(began); !over || took < 40*time.Second || took > 50*time.Second {
			t.Errorf("over: %v after %v, want after 40 to 50s", over, took)
		}
		h.end()
	})
}

// TestGone: a client that goes away ends the context of its request soon, and
// so does the end of RequestTime, unless the handler wants more.
func TestGone(t *testing.T) {
	for _, tt := range []struct {
		name       string
		leaves     bool
		more       time.Duration
		from, till time.Duration
	}{
		{"leaves", true, 0, 0, 100 * time.Millisecond},
		{"stays", false, 0, 30 * time.Second, 31 * time.Second},
		{"stays longer", false, time.Minute, time.Minute, 61 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				took := make(chan time.Duration, 1)
				h := open(func(w http.ResponseWriter, r *http.Request) {
					began := time.Now()
					if tt.more > 0 {
						if err := http.NewResponseController(w).SetReadDeadline(began.Add(tt.more)); err != nil {
							t.Error(err)
						}
					}
					<-r.Context().Done()
					took <- time.Since(began)
				}, http1.Config{RequestTime: 30 * time.Second})
				c := h.talk(t)
				c.say(post("x"))
				if tt.leaves {
					_ = c.conn.Close()
				} else {
					go func() { _, _ = io.Copy(io.Discard, c.conn) }()
				}
				if d := <-took; d < tt.from || d > tt.till {
					t.Errorf("ended after %v, want %v to %v", d, tt.from, tt.till)
				}
				_ = c.conn.Close()
				h.end()
			})
		})
	}
}

// TestNextRequestMeanwhile: what comes while a request is handled is the next
// request, and does not disturb this one.
func TestNextRequestMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			if err := r.Context().Err(); err != nil {
				t.Error(err)
			}
			tell(w, r)
		}, http1.Config{})
		c := h.talk(t)
		c.say(post("one"))
		time.Sleep(500 * time.Millisecond)
		c.say(post("two"))
		for _, want := range []string{"true POST one", "true POST two"} {
			if _, got := c.hear(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		h.end()
	})
}

// TestSlowReader: a client that does not read its answer loses its connection.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan time.Duration, 1)
		h := open(func(w http.ResponseWriter, _ *http.Request) {
			began := time.Now()
			for {
				if _, err := w.Write(make([]byte, 100_000)); err != nil {
					failed <- time.Since(began)
					return
				}
			}
		}, http1.Config{RequestTime: 40 * time.Second})
		c := h.talk(t)
		c.say(post("x"))
		if d := <-failed; d < 40*time.Second || d > 50*time.Second {
			t.Errorf("failed after %v, want after 40 to 50s", d)
		}
		h.end()
	})
}

// TestShutdown: idle connections end at once, others with their answer.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			tell(w, r)
		}, http1.Config{})
		idle, busy := h.talk(t), h.talk(t)
		idle.say(post("x"))
		idle.hear()
		busy.say(post("y"))
		synctest.Wait()
		began := time.Now()
		done := make(chan error, 1)
		go func() { done <- h.server.Shutdown(t.Context()) }()
		if over := idle.isOver(); !over || time.Since(began) != 0 {
			t.Errorf("the idle connection is over: %v after %v", over, time.Since(began))
		}
		if r, got := busy.hear(); got != "true POST y" || !r.Close {
			t.Errorf("got %q, close %v", got, r.Close)
		}
		if err := <-done; err != nil || time.Since(began) != time.Second || !busy.isOver() {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		h.end()
	})
}

// TestShutdownInTime: past the deadline Close cuts off what still runs.
func TestShutdownInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, http1.Config{})
		c := h.talk(t)
		c.say(post("x"))
		synctest.Wait()
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := h.server.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline's error", err)
		}
		h.end()
		if !c.isOver() {
			t.Error("the connection goes on")
		}
	})
}

// TestPanic: a handler that panics ends its connection and no other.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		h := open(func(w http.ResponseWriter, r *http.Request) {
			if body, _ := io.ReadAll(r.Body); string(body) == "bad" {
				_, _ = io.WriteString(w, "half an answer")
				panic("trouble")
			}
			_, _ = io.WriteString(w, "fine")
		}, http1.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		bad, good := h.talk(t), h.talk(t)
		bad.say(post("bad"))
		if !bad.isOver() {
			t.Error("something was answered")
		}
		good.say(post("good"))
		if _, got := good.hear(); got != "fine" {
			t.Errorf("got %q", got)
		}
		h.end()
		if !strings.Contains(log.String(), "trouble") {
			t.Errorf("the log has %q", log.String())
		}
	})
}

// TestBodyAfterwards: a body cannot be read after its handler has returned: its
// bytes are another request's then.
func TestBodyAfterwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bodies := make(chan io.Reader, 1)
		h := open(func(_ http.ResponseWriter, r *http.Request) { bodies <- r.Body }, http1.Config{})
		c := h.talk(t)
		c.say(post("secret"))
		c.hear()
		if n, err := (<-bodies).Read(make([]byte, 10)); n != 0 || !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Errorf("read %d bytes, %v", n, err)
		}
		h.end()
	})
}

// TestRestIsClosed: without anybody behind the server, what it does not take is
// closed, and what it takes is served.
func TestRestIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(tell, http1.Config{})
		_ = h.web.Close()
		c, other := h.talk(t), h.talk(t)
		other.say("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if !other.isOver() {
			t.Error("the connection goes on")
		}
		c.say(post("x"))
		if _, got := c.hear(); got != "true POST x" {
			t.Errorf("got %q", got)
		}
		h.end()
	})
}
