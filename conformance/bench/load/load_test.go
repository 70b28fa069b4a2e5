//go:build linux

package load_test

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/load"
)

// server is the variable that makes this binary a server to be measured, of one
// of the kinds below.
const server = "LOAD_TEST_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(server); kind != "" {
		serve(kind)
		return
	}
	os.Exit(m.Run())
}

// serve answers each request by copying its text; after a hundred, the kind says
// what goes wrong.
func serve(kind string) {
	in, out := bufio.NewReaderSize(os.Stdin, 1<<16), bufio.NewWriterSize(os.Stdout, 1<<16)
	defer func() { _ = out.Flush() }() // the driver may have gone
	for n := 0; ; n++ {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		_, id, _ := strings.Cut(line, `"id":`)
		id, _, _ = strings.Cut(id, ",")
		_, text, _ := strings.Cut(line, `"text":`)
		text = strings.TrimSuffix(text, "}}}\n")
		if n > 100 {
			switch kind {
			case "wrong id":
				id = "99999999"
			case "wrong text":
				text = `""`
			case "end":
				fmt.Fprintln(os.Stderr, "enough")
				return
			}
		}
		if n%7 == 0 {
			_, _ = out.WriteString(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}` + "\n") // as the flush says
		}
		_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`+"\n", id, text) // likewise
		if in.Buffered() == 0 {
			if out.Flush() != nil {
				return
			}
		}
	}
}

func child(kind string) load.Server {
	return load.Server{Name: kind, Argv: []string{os.Args[0]}, Env: []string{server + "=" + kind}}
}

// TestPipe keeps a server busy with messages of any size and number.
func TestPipe(t *testing.T) {
	for _, tt := range []struct{ size, window int }{{32, 1}, {32, 16}, {32, 4096}, {10_000, 16}, {1 << 20, 1}, {1 << 20, 5}} {
		t.Run(fmt.Sprintf("%d bytes, %d in flight", tt.size, tt.window), func(t *testing.T) {
			conn := open(t, child("good"))
			mix, err := load.Prepare(conn, load.Echo(load.Text(tt.size, false)), load.Echo(load.Text(tt.size, true)))
			if err != nil {
				t.Fatal(err)
			}
			const long = 100 * time.Millisecond
			for range 2 {
				s, err := conn.Run(mix, tt.window, long)
				if err != nil {
					t.Fatal(err)
				}
				if s.N < tt.window || s.Bad != 0 || s.Took < long || s.CPU <= 0 || s.Driver <= 0 {
					t.Errorf("got %d answers, %d bad, in %v with %v and %v of CPU", s.N, s.Bad, s.Took, s.CPU, s.Driver)
				}
				if half, most := s.Latency.Quantile(.5), s.Latency.Quantile(1); half <= 0 || most < half || most > 2*s.Took {
					t.Errorf("latencies %v and %v in %v", half, most, s.Took)
				}
			}
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestWrong: what is wrong with answers is seen while they come by the thousand.
func TestWrong(t *testing.T) {
	conn := open(t, child("wrong text"))
	mix, err := load.Prepare(conn, load.Echo("some text"))
	if err != nil {
		t.Fatal(err)
	}
	all, bad := 0, 0
	for end := time.Now().Add(20 * time.Second); bad == 0 && time.Now().Before(end); { // the first hundred are right
		s, err := conn.Run(mix, 16, 50*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		all, bad = all+s.N, bad+s.Bad
	}
	if bad == 0 || bad >= all {
		t.Errorf("%d of %d are bad", bad, all)
	}
	if _, err := load.Prepare(conn, load.Echo("some text")); err == nil || !strings.Contains(err.Error(), "differs") {
		t.Errorf("preparing: %v", err)
	}
}

func TestEndOfServer(t *testing.T) {
	conn := open(t, child("end"))
	mix, err := load.Prepare(conn, load.Echo(load.Text(100_000, false)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Run(mix, 16, 10*time.Second); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("got %v, want what it said", err)
	}
	if _, err := load.Open(t.Context(), load.Server{Name: "none", Argv: []string{"/nowhere/none"}}); err == nil {
		t.Error("a program that does not exist was started")
	}
}

func TestHistogram(t *testing.T) {
	var h load.Histogram
	if got := h.Quantile(.5); got != 0 {
		t.Errorf("of nothing %v", got)
	}
	var all []time.Duration
	for d := time.Duration(1); d < time.Hour; d += d/3 + 1 {
		h.Add(d)
		all = append(all, d)
	}
	slices.Sort(all)
	for _, q := range []float64{0, .1, .5, .9, .99, 1} {
		want := all[min(int(q*float64(len(all))), len(all)-1)]
		if got := h.Quantile(q); got < want-want/30-1 || got > want+want/30+1 {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
}
