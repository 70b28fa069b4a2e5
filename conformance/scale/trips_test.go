//go:build unix

package scale_test

import (
	"io"
	"net"
	"slices"
	"testing"
	"time"
)

// distance is the time that answers of the store take longer in tests of round trips. It
// is far more than a call takes otherwise.
const distance = 100 * time.Millisecond

// farAway returns the address of a store whose answers take longer by distance.
func farAway(t *testing.T, to string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") // it is closed with the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // ends the loop
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to) // on loopback
			if err != nil {
				_ = in.Close() // the store is away
				continue
			}
			go func() {
				_, _ = io.Copy(out, in) // until one of them ends
				_ = out.Close()
			}()
			go slowly(in, out)
		}
	}()
	return l.Addr().String()
}

// slowly passes on what a store answers, each part after distance.
func slowly(to, from net.Conn) {
	type part struct {
		text []byte
		due  time.Time
	}
	parts := make(chan part, 1024)
	go func() {
		defer func() { _ = to.Close() }() // nothing to lose
		for p := range parts {
			time.Sleep(time.Until(p.due))
			if _, err := to.Write(p.text); err != nil {
				break
			}
		}
		for range parts { // the reader ends by itself
			continue
		}
	}()
	defer close(parts)
	for buffer := make([]byte, 64<<10); ; {
		n, err := from.Read(buffer)
		if n > 0 {
			parts <- part{slices.Clone(buffer[:n]), time.Now().Add(distance)}
		}
		if err != nil {
			return
		}
	}
}

// A metered look-up asks the store at most twice in sequence: for what it looks up, and to
// record it.
func TestRoundTripsOfACall(t *testing.T) {
	t.Parallel()
	store := startNode(t)
	c := newCaller(newKey(t, store.url(), "--plan", "enterprise", "--month", "10000000", "--minute", "60000"))
	s := start(t, "valkey://"+farAway(t, store.Addr))
	if err := c.create(t.Context(), s.url(), "far"); err != nil {
		t.Fatal(err)
	}
	took := make([]time.Duration, 15)
	for i := range took {
		began := time.Now()
		if err := c.call(t.Context(), s.url(), "get_ruleset", map[string]any{"name": "far"}); err != nil {
			t.Fatal(err)
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	median := took[len(took)/2]
	t.Logf("a call takes %v, %.1f times the distance to the store", median, float64(median)/float64(distance))
	if median >= 3*distance {
		t.Errorf("a call takes %v, which is %d round trips of %v", median, median/distance, distance)
	}
}
