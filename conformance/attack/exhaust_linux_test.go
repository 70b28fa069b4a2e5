package attack_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestExhaustion has clients try to use up the memory, the disk, the processor and
// the connections of a server that has little of each. A good client beside them
// is served all the while, and afterwards the memory is given back.
func TestExhaustion(t *testing.T) {
	s, token := confined(t)
	memory := s.watch(t)
	beside := s.bystander(t, token)
	for _, tc := range []struct {
		name   string
		attack func(t *testing.T, s *server, token string)
	}{
		{"nothing", func(*testing.T, *server, string) { time.Sleep(2 * time.Second) }},
		{"bodies that lack their end", unfinishedBodies},
		{"answers that are not read", unreadAnswers},
		{"streams that are not read", unreadStreams},
		{"listens to many resources", longListens},
		{"answers for the disk", largeAnswers},
		{"a million arguments", manyArguments},
		{"large batches", largeBatches},
		{"slow heads", slowHeads},
	} {
		memory.peak()
		t.Run(tc.name, func(t *testing.T) {
			began := time.Now()
			tc.attack(t, s, token)
			t.Logf("%v, at most %d MiB", time.Since(began).Round(time.Millisecond), memory.peak()>>20)
			beside.check(t)
		})
		if t.Failed() && s.resident() == 0 {
			t.Fatal("the server has ended")
		}
	}
	shrinks(t, s)
	s.number(t, "go_goroutines") // it is there
}

// shrinks waits until the server has given its memory back.
func shrinks(t *testing.T, s *server) {
	t.Helper()
	const small, within = 200 << 20, 60 * time.Second
	began := time.Now()
	for s.resident() > small {
		if time.Since(began) > within {
			t.Fatalf("%d MiB of memory %v after all clients left, want less than %d", s.resident()>>20, within, small>>20)
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Logf("%d MiB of memory after %v", s.resident()>>20, time.Since(began).Round(time.Second))
}

// from connects from an address, by TLS.
func (s *server) from(t *testing.T, addr string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: patience, LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(addr), 0))}
	conn, err := dialer.DialContext(t.Context(), "tcp", s.addr)
	if err != nil {
		return nil, err
	}
	_ = conn.(*net.TCPConn).SetReadBuffer(4096) // then answers have to wait
	return tls.Client(conn, s.tls.Clone()), nil
}

// together runs a function n times, eight at a time.
func together(n int, run func(i int)) { sideBySide(8, n, run) }

// sideBySide runs a function n times, so many at a time.
func sideBySide(width, n int, run func(i int)) {
	var all sync.WaitGroup
	next := make(chan int)
	for range width {
		all.Go(func() {
			for i := range next {
				run(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
}

// statuses counts the first answers on connections.
type statuses struct {
	mu sync.Mutex
	of map[int]int
}

func (s *statuses) add(conn net.Conn) {
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	status := 0
	if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
		status = resp.StatusCode
	}
	s.count(status)
}

func (s *statuses) count(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[int]int{}
	}
	s.of[status]++
}

// unfinishedBodies announces bodies of 16 MiB and sends all but their last byte,
// as clients of free keys and of one with a larger plan.
func unfinishedBodies(t *testing.T, s *server, _ string) {
	var tokens []string
	for range 4 {
		_, token := key(t, s.data, "--plan", "free")
		tokens = append(tokens, token)
	}
	const size = 16 << 20
	part := []byte(strings.Repeat(" ", 1<<20))
	var got statuses
	began := time.Now()
	together(times(24, 321), func(i int) {
		conn, err := s.from(t, fmt.Sprintf("127.0.1.%d", 1+i%4))
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		write(conn, s.head(tokens[i%len(tokens)])+fmt.Sprintf("Content-Length: %d\r\n\r\n", size))
		for sent := 0; sent < size-1; sent += len(part) {
			_ = conn.SetWriteDeadline(time.Now().Add(patience))
			if _, err := conn.Write(part[:min(len(part), size-1-sent)]); err != nil {
				break
			}
		}
		got.add(conn)
	})
	t.Logf("statuses %v in %v", got.of, time.Since(began))
	if got.of[http.StatusOK] > 0 || got.of[http.StatusRequestTimeout] == 0 {
		t.Errorf("statuses %v, want that none is 200 and some are 408", got.of)
	}
}

// bigRuleset makes a ruleset of n bytes.
func bigRuleset(t *testing.T, s *server, token, name string, n int) {
	t.Helper()
	arguments := fmt.Sprintf(`{"name":%q,"description":"large","markdown":%q}`, name, strings.Repeat("0123456789abcde\n", n/16))
	s.client(t, token, "", false).post(t, tool("create_ruleset", arguments)).is(t, "create_ruleset", 200, 0)
}

// unreadAnswers asks for 7 MiB on each connection and reads nothing.
func unreadAnswers(t *testing.T, s *server, token string) {
	bigRuleset(t, s, token, "wide", 7<<20)
	_, team := key(t, s.data, "--plan", "team")
	var mu sync.Mutex
	var open []net.Conn
	together(times(40, 150), func(i int) {
		conn, err := s.from(t, fmt.Sprintf("127.0.1.%d", 1+i%4))
		if err != nil {
			t.Error(err)
			return
		}
		write(conn, s.whole(team, tool("get_ruleset", `{"name":"wide"}`)))
		mu.Lock()
		defer mu.Unlock()
		open = append(open, conn)
	})
	time.Sleep(3 * time.Second)
	for _, conn := range open {
		_ = conn.(*tls.Conn).NetConn().Close() // without a goodbye
	}
}

// unreadStreams begins sessions, asks for a long answer with progress, and hangs up
// after the first bytes, so that the answer is kept for the client to come back.
func unreadStreams(t *testing.T, s *server, token string) {
	bigRuleset(t, s, token, "long", 7<<20)
	_, team := key(t, s.data, "--plan", "team")
	c := s.client(t, team, "", false)
	call := line("tools/call", `{"name":"get_ruleset","arguments":{"name":"long"},"_meta":{"progressToken":1}}`)
	sessions := make([]string, times(40, 150))
	for i := range sessions {
		sessions[i] = begin(t, c)
	}
	together(len(sessions), func(i int) {
		conn, err := s.from(t, fmt.Sprintf("127.0.1.%d", 1+i%4))
		if err != nil {
			t.Error(err)
			return
		}
		head := s.head(team) + "Accept: text/event-stream\r\nMcp-Session-Id: " + sessions[i] + "\r\n"
		write(conn, head+fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(call), call))
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		if _, err := io.ReadFull(conn, make([]byte, 100)); err != nil {
			t.Errorf("the answer: %v", err)
		}
		_ = conn.(*tls.Conn).NetConn().Close()
	})
}

// longListens listens to a thousand resources with long names, many times.
func longListens(t *testing.T, s *server, _ string) {
	_, team := key(t, s.data, "--plan", "team")
	var uris []string
	for i := range 1000 {
		uris = append(uris, fmt.Sprintf(`"ruleset://%04d%s"`, i, strings.Repeat("x", 1500)))
	}
	listen := line("subscriptions/listen", `{`+modern+`,"notifications":{"resourceSubscriptions":[`+strings.Join(uris, ",")+`]}}`)
	head := s.head(team) + "Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n"
	var mu sync.Mutex
	var open []net.Conn
	var got statuses
	together(times(60, 250), func(i int) {
		conn, err := s.from(t, fmt.Sprintf("127.0.1.%d", 1+i%4))
		if err != nil {
			t.Error(err)
			return
		}
		write(conn, head+fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(listen), listen))
		got.add(conn)
		mu.Lock()
		defer mu.Unlock()
		open = append(open, conn)
	})
	t.Logf("statuses %v", got.of)
	for _, conn := range open {
		_ = conn.(*tls.Conn).NetConn().Close()
	}
}

// largeAnswers asks for answers that are put into files, as a key that only reads.
func largeAnswers(t *testing.T, s *server, token string) {
	bigRuleset(t, s, token, "huge", 9<<20)
	_, reader := key(t, s.data, "--plan", "team", "--scopes", "rulesets:read")
	c := s.client(t, reader, "127.0.1.1", false)
	for range times(20, 60) {
		if r := c.post(t, tool("get_ruleset", `{"name":"huge"}`)); r.status != 200 && r.status != 503 && r.status != 429 {
			t.Errorf("a large answer: %d %.200s", r.status, r.text)
		}
	}
	c.post(t, tool("get_ruleset", `{`+strings.Repeat(`"a":1,`, 700_000)+`"name":"huge"}`))
	if used := s.number(t, `triptych_budget_used{budget="answer_files"}`); used > diskSize/10 {
		t.Errorf("answers take %.0f bytes of a disk of %d, want at most a tenth", used, diskSize)
	}
}

// manyArguments calls with a million arguments that do not exist.
func manyArguments(t *testing.T, s *server, _ string) {
	_, team := key(t, s.data, "--plan", "team")
	c := s.client(t, team, "127.0.1.1", false)
	var different strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&different, `"a%d":1,`, i)
	}
	for name, arguments := range map[string]string{"different": different.String(), "the same": strings.Repeat(`"a":1,`, 1_000_000)} {
		began := time.Now()
		r := c.post(t, tool("get_ruleset", `{`+arguments+`"name":"x"}`))
		t.Logf("%s: %d with %d bytes after %v", name, r.status, len(r.text), time.Since(began).Round(time.Millisecond))
		if len(r.text) > 100_000 {
			t.Errorf("%s: the refusal has %d bytes", name, len(r.text))
		}
	}
}

// largeBatches asks for a thousand lists at once.
func largeBatches(t *testing.T, s *server, _ string) {
	_, team := key(t, s.data, "--plan", "enterprise", "--month", "0", "--minute", "100000")
	c := s.client(t, team, "127.0.1.1", false)
	batch := "[" + strings.Repeat(list+",", 999) + list + "]"
	together(times(8, 40), func(int) {
		r, err := c.try(t.Context(), http.MethodPost, batch)
		if err != nil {
			t.Error(err)
		} else if len(r.text) > 20<<20 {
			t.Errorf("the answers have %d bytes", len(r.text))
		}
	})
}

// slowHeads begins requests and does not go on.
func slowHeads(t *testing.T, s *server, token string) {
	var mu sync.Mutex
	var open []net.Conn
	together(times(300, 2000), func(i int) {
		conn, err := s.from(t, fmt.Sprintf("127.0.1.%d", 1+i%4))
		if err != nil {
			t.Error(err)
			return
		}
		write(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Long: "+strings.Repeat("x", 6000))
		mu.Lock()
		defer mu.Unlock()
		open = append(open, conn)
	})
	began := time.Now()
	for _, conn := range open {
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		_, _ = io.Copy(io.Discard, conn) // until the server has had enough
		_ = conn.Close()
	}
	if took := time.Since(began); took > patience {
		t.Errorf("the last was cut off after %v, want about 10s", took)
	}
	s.client(t, token, "", false).post(t, list).is(t, "afterwards", 200, 0)
}
