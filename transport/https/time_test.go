package https_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/triptych-mcp/triptych/transport/https"
)

const head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"

// trickle begins to write a byte a second until that fails; wait for its end.
func trickle(conn net.Conn, text string) (wait func()) {
	var writing sync.WaitGroup
	writing.Go(func() {
		for _, b := range []byte(text) {
			time.Sleep(time.Second)
			if _, err := conn.Write([]byte{b}); err != nil {
				return
			}
		}
	})
	return writing.Wait
}

// A client that does not finish the head of its request in time is cut off,
// whether it says nothing or a byte now and then.
func TestSlowHead(t *testing.T) {
	tests := map[string]string{"silence": "", "trickle": "GET /mcp HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("X: y\r\n", 100)}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := serve(t, https.Config{Routes: endpoint(says("here")), HeaderTime: 10 * time.Second})
				conn := h.raw(t, "")
				defer trickle(conn, text)()
				if took, said := closes(t, conn); took != 10*time.Second || strings.Contains(said, "200 OK") {
					t.Errorf("closed after %v with %q, want after 10s", took, said)
				}
				h.end(t)
			})
		})
	}
}

// A body whose handler sets no deadline may pause as long as a body may; then its handler is
// told, and the client.
func TestSlowBody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := serve(t, https.Config{RequestTime: 30 * time.Second, Routes: endpoint(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err == nil {
				t.Error("the body was read to its end")
			}
			http.Error(w, "too slow", http.StatusBadRequest)
		})})
		conn := h.raw(t, head)
		defer trickle(conn, strings.Repeat("x", 90))()
		if took, _ := closes(t, conn); took < 5*time.Second || took > 6*time.Second {
			t.Errorf("closed after %v, want after 5s", took)
		}
		h.end(t)
	})
}

// A client that does not read its answer loses its connection.
func TestSlowReader(t *testing.T) {
	bubble(t, func(t *testing.T) {
		wrote := make(chan error, 1)
		h := serve(t, https.Config{RequestTime: 30 * time.Second, Routes: endpoint(func(w http.ResponseWriter, _ *http.Request) {
			_, err := w.Write(make([]byte, 1<<20))
			wrote <- err
		})})
		h.raw(t, "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
		began := time.Now()
		if err := <-wrote; err == nil || time.Since(began) != 30*time.Second {
			t.Errorf("writing gave %v after %v, want an error after 30s", err, time.Since(began))
		}
		h.end(t)
	})
}

// A connection without requests is closed after IdleTime, not before.
func TestIdle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := serve(t, https.Config{Routes: endpoint(says("here")), IdleTime: 2 * time.Minute})
		conn := h.raw(t, "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if got := statusLine(t, conn); got != "HTTP/1.1 200 OK" {
			t.Fatal(got)
		}
		if took, _ := closes(t, conn); took != 2*time.Minute {
			t.Errorf("closed after %v, want 2m", took)
		}
		h.end(t)
	})
}

// waits answers when release is closed, and tells when it began.
func waits(began chan<- struct{}, release <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		select {
		case <-release:
			says("late")(w, r)
		case <-r.Context().Done():
		}
	}
}

// What runs when the server is told to end finishes, and nothing new begins.
func TestDrain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		began, release := make(chan struct{}), make(chan struct{})
		var told time.Duration
		start := time.Now()
		h := serve(t, https.Config{Routes: endpoint(waits(began, release)), DrainTime: 10 * time.Second, Drain: func(ctx context.Context) {
			told = time.Since(start)
			if end, ok := ctx.Deadline(); !ok || time.Until(end) != 10*time.Second {
				t.Errorf("it may take until %v, want 10s", end)
			}
		}})
		answer := make(chan string, 1)
		client := h.client(t)
		go func() {
			_, body := get(t, client, "http://localhost/mcp")
			answer <- body
		}()
		<-began
		time.AfterFunc(4*time.Second, func() { close(release) })
		time.AfterFunc(time.Second, func() {
			if _, err := h.Dial(context.Background()); err == nil {
				t.Error("a new connection was taken")
			}
		})
		if took := h.end(t); took < 4*time.Second || took > 5*time.Second {
			t.Errorf("it took %v, want 4s and what a look takes", took)
		}
		if got := <-answer; got != "late" {
			t.Errorf("answered %q, want late", got)
		}
		if told != 0 {
			t.Errorf("told to drain after %v, want at once", told)
		}
	})
}

// What does not finish is cut off at the deadline, and its handler is told.
func TestDrainDeadline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		began, never := make(chan struct{}), make(chan struct{})
		drained := false
		h := serve(t, https.Config{Routes: endpoint(waits(began, never)), DrainTime: 10 * time.Second, Drain: func(ctx context.Context) {
			<-ctx.Done()
			time.Sleep(time.Second)
			drained = true
		}})
		conn := h.raw(t, "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
		<-began
		go h.stop()
		if took, said := closes(t, conn); took != 10*time.Second || said != "" {
			t.Errorf("cut off after %v with %q, want nothing after 10s", took, said)
		}
		if err := <-h.done; err != nil || !drained {
			t.Errorf("Serve: %v, drained %v, want that it waits for Drain", err, drained)
		}
		if got := h.server.CutOff(); got != 1 {
			t.Errorf("%d requests were cut off, want the one", got)
		}
		synctest.Wait() // the handler has returned, or the bubble would not end
	})
}

// An idle connection does not delay the end.
func TestDrainIdle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := serve(t, https.Config{Routes: endpoint(says("here")), DrainTime: time.Minute})
		client := h.client(t)
		get(t, client, "http://localhost/mcp")
		if took := h.end(t); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// A listener that fails ends the server with its error.
func TestListenerFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := serve(t, https.Config{})
		synctest.Wait()
		_ = h.Close()
		if err := <-h.done; err == nil {
			t.Error("Serve returned nil, want why it ended")
		}
	})
}
