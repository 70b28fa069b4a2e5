package http1_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/transport/http1"
)

func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) }

// answers are handlers whose answers must equal those of net/http.
var answers = map[string]http.HandlerFunc{
	"nothing":     func(http.ResponseWriter, *http.Request) {},
	"text":        func(w http.ResponseWriter, _ *http.Request) { write(w, "hello") },
	"pieces":      func(w http.ResponseWriter, _ *http.Request) { write(w, "hel"); write(w, ""); write(w, "lo") },
	"status":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) },
	"odd status":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(799); write(w, "x") },
	"two":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404); w.WriteHeader(500); write(w, "x") },
	"no content":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent); write(w, "x") },
	"not changed": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified); write(w, "x") },
	"fields": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("X-B", "1")
		w.Header().Add("X-B", "2")
		w.Header().Set("X-A", "with\r\nX-C: more")
		w.Header()["not a name"] = []string{"x"}
		w.Header().Set("Content-Type", "application/json")
		write(w, "{}")
	},
	"late field": func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		w.Header().Set("X-Late", "1")
		write(w, "x")
	},
	"its own length": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "5"); write(w, "hello") },
	"too much": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5")
		write(w, "hello")
		write(w, ", world")
	},
	"long":           func(w http.ResponseWriter, _ *http.Request) { write(w, strings.Repeat("x", 100_000)) },
	"long in pieces": func(w http.ResponseWriter, _ *http.Request) { many(w, 100, strings.Repeat("x", 1000)) },
	"long with length": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100000")
		many(w, 100, strings.Repeat("x", 1000))
	},
	"very long": func(w http.ResponseWriter, _ *http.Request) {
		write(w, strings.Repeat("x", 500_000))
		write(w, strings.Repeat("y", 20_000))
		write(w, "z")
	},
	"very long with length": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "500005")
		write(w, "first")
		write(w, strings.Repeat("x", 500_000))
	},
	"stream": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for n := range 5 {
			_, _ = fmt.Fprintf(w, "data: %d\n\n", n)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Second)
		}
	},
	"only flushed": func(w http.ResponseWriter, _ *http.Request) { _ = http.NewResponseController(w).Flush() },
	"page":         func(w http.ResponseWriter, _ *http.Request) { write(w, "<html><body>") },
	"coded": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		write(w, "\x1f\x8b\x08")
	},
	"close":   func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close"); write(w, "x") },
	"dateful": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Date", "today"); write(w, "x") },
}

func many(w io.Writer, n int, text string) {
	for range n {
		write(w, text)
	}
}

// TestAnswers: a client cannot tell who answers, and the connection goes on
// where net/http's does.
func TestAnswers(t *testing.T) {
	for name, handler := range answers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, wants := exchange(t, handler, "", true), exchange(t, handler, "Pragma: x\r\n", false)
				time.Sleep(time.Minute) // net/http does not wait for its handlers
				if ours.Body != wants.Body || ours.Status != wants.Status || ours.goesOn != wants.goesOn {
					t.Errorf("got %d %.40q, on %v, want %d %.40q, on %v", ours.Status, ours.Body, ours.goesOn, wants.Status, wants.Body, wants.goesOn)
				}
				if !maps.EqualFunc(ours.Header, wants.Header, slices.Equal) {
					t.Errorf("header %v, want %v", ours.Header, wants.Header)
				}
			})
		})
	}
}

type answer struct {
	Status int
	Header http.Header
	Body   string
	goesOn bool
}

// exchange asks twice for the answer of a handler. It makes sure who gave it.
func exchange(t *testing.T, handler http.HandlerFunc, field string, want bool) answer {
	h := open(func(w http.ResponseWriter, r *http.Request) {
		if taken(w) != want {
			t.Errorf("taken: %v, want %v", taken(w), want)
		}
		handler(w, r)
	}, http1.Config{})
	defer h.end()
	c := h.talk(t)
	ask := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n" + field + "\r\nx"
	c.say(ask)
	r, body := c.hear()
	a := answer{r.StatusCode, r.Header, body, false}
	if at, err := http.ParseTime(a.Header.Get("Date")); err == nil && !at.After(time.Now()) && time.Since(at) < time.Minute {
		a.Header.Set("Date", "now")
	}
	a.Header.Set("(length)", fmt.Sprint(r.ContentLength, r.TransferEncoding, r.Close))
	if _, err := c.conn.Write([]byte(ask)); err == nil {
		_, err := c.in.Peek(1)
		a.goesOn = err == nil
	}
	return a
}

// TestShortAnswer: an answer shorter than its Content-Length ends the connection, so
// that the next answer is not taken for its rest.
func TestShortAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			write(w, "short")
		}, http1.Config{})
		c := h.talk(t)
		c.say(post("x"))
		text, err := io.ReadAll(c.conn)
		if err != nil || !strings.HasSuffix(string(text), "\r\n\r\nshort") {
			t.Errorf("got %q, %v", text, err)
		}
		h.end()
	})
}

// TestStream: what is flushed is with the client at once.
func TestStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(answers["stream"], http1.Config{RequestTime: 3 * time.Second})
		c := h.talk(t)
		c.say(post("x"))
		began := time.Now()
		r, err := http.ReadResponse(c.in, nil)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 100)
		for n := range 3 {
			got, err := r.Body.Read(buf)
			if want := fmt.Sprintf("data: %d\n\n", n); err != nil || string(buf[:got]) != want || time.Since(began) != time.Duration(n)*time.Second {
				t.Fatalf("%q after %v, %v, want %q", buf[:got], time.Since(began), err, want)
			}
		}
		_ = c.conn.Close()
		h.end()
		time.Sleep(time.Minute) // the handler goes on
	})
}

// TestLargeAnswer: a large answer is written as it is, without copies of it.
func TestLargeAnswer(t *testing.T) {
	const size = 8 << 20
	answer, took := make([]byte, size), make(chan uint64, 1)
	h := open(func(w http.ResponseWriter, _ *http.Request) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = w.Write(answer)
		runtime.ReadMemStats(&after)
		took <- after.TotalAlloc - before.TotalAlloc
	}, http1.Config{})
	defer h.end()
	conn, err := h.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	go func() { _, _ = io.WriteString(conn, post("x")) }()
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	if n, err := io.CopyN(io.Discard, r.Body, size); err != nil {
		t.Fatal(n, err)
	}
	if n := <-took; n > size/4 {
		t.Errorf("%d bytes were allocated for %d", n, size)
	}
}
