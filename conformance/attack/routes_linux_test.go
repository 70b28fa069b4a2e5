package attack_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// A route is a row of the table of the server's listener.
type route struct{ method, path string }

// text returns the line of a request of the route, with names where the path has some.
func (r route) text() string {
	return r.method + " " + regexp.MustCompile(`\{\$\}`).ReplaceAllString(regexp.MustCompile(`\{\w+\}`).ReplaceAllString(r.path, "beside"), "") + " HTTP/1.1\r\nHost: localhost\r\n"
}

var routeLabel = regexp.MustCompile(`^triptych_http_requests_total\{code="200",route="([A-Z]+) ([^"]+)"\}`)

// routes returns the rows of the table, which the metrics have from the start, and the
// endpoint's.
func (s *server) routes(t *testing.T) []route {
	t.Helper()
	resp, err := http.Get("http://" + s.metrics + "/metrics") // a loopback address
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all := []route{{"POST", "/mcp"}, {"GET", "/mcp"}, {"DELETE", "/mcp"}}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if found := routeLabel.FindStringSubmatch(lines.Text()); found != nil {
			all = append(all, route{found[1], found[2]})
		}
	}
	if len(all) < 40 {
		t.Fatalf("only %d routes: %v", len(all), all)
	}
	return all
}

// visitor signs in at the console and returns the lines of a head with the session and the key.
func (s *server) visitor(t *testing.T, token string) string {
	t.Helper()
	conn := s.dial(t)
	defer conn.Close()
	form := url.Values{"key": {token}}.Encode()
	write(conn, fmt.Sprintf("POST /signin HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", len(form), form))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
		t.Fatalf("signing in: %+v, %v", resp, err)
	}
	cookie := resp.Cookies()[0]
	return "Cookie: " + cookie.Name + "=" + cookie.Value + "\r\nAuthorization: Bearer " + token + "\r\n"
}

// A bodyAttack holds the text that follows the first lines of a request.
type bodyAttack struct {
	name string
	head string
	part string // sent again and again, up to most bytes
	most int
}

const (
	asForm      = "Content-Type: application/x-www-form-urlencoded\r\n"
	asMultipart = "Content-Type: multipart/form-data; boundary=B\r\n"
	withoutEnd  = "Content-Length: 1000000000\r\n\r\n"
	inChunks    = "Transfer-Encoding: chunked\r\n\r\n"
)

var bodyAttacks = []bodyAttack{
	{"a file of a multipart form", asMultipart + withoutEnd + "--B\r\nContent-Disposition: form-data; name=\"a\"; filename=\"f\"\r\n\r\n", strings.Repeat("x", 1<<20), 64 << 20},
	{"fields of a multipart form", asMultipart + withoutEnd, "--B\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\n" + strings.Repeat("x", 64<<10) + "\r\n", 64 << 20},
	{"a multipart form in chunks", asMultipart + inChunks, "10000\r\n" + strings.Repeat("x", 64<<10) + "\r\n", 64 << 20},
	{"a huge form", asForm + withoutEnd + "key=", strings.Repeat("x", 1<<20), 64 << 20},
	{"a form without its end", asForm + "Content-Length: 6000000\r\n\r\ncsrf=", strings.Repeat("x", 1<<20), 5 << 20},
	{"a form in chunks", asForm + inChunks, "10000\r\n" + strings.Repeat("a&", 32<<10) + "\r\n", 64 << 20},
	{"a body of another kind", "Content-Type: text/plain\r\n" + withoutEnd, strings.Repeat("x", 1<<20), 64 << 20},
}

// run makes the attack on a route and returns the status of the answer, 0 if there is none.
func (a *bodyAttack) run(t *testing.T, s *server, r route, visitor string) int {
	conn := s.dial(t)
	defer conn.Close()
	write(conn, r.text()+visitor+a.head)
	for sent := 0; sent < a.most; sent += len(a.part) {
		_ = conn.SetWriteDeadline(time.Now().Add(patience))
		if _, err := io.WriteString(conn, a.part); err != nil {
			break
		}
	}
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: r.method})
	if isTimeout(err) {
		t.Errorf("%s %s, %s: no answer", r.method, r.path, a.name)
	}
	if err != nil {
		return 0 // the server had closed before all was sent
	}
	return resp.StatusCode
}

// TestRoutes attacks every route of the listener with bodies that it does not take, with slow
// ones, and with floods, without a key and with a free one. A good client beside is served, and
// nothing is left in the memory or in the folder for temporary files.
func TestRoutes(t *testing.T) {
	temporary := t.TempDir()
	data := t.TempDir()
	_, token := key(t, data)
	limit := confinement(t)
	s := &server{data: data, prepare: func(cmd *exec.Cmd) {
		limit(cmd)
		cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
	}}
	s.start(t, "--oauth")
	memory := s.watch(t)
	beside := s.bystander(t, token)
	all := s.routes(t)
	visitors := func() []string {
		_, free := key(t, data, "--plan", "free")
		return []string{"", s.visitor(t, free)}
	}
	step := func(name string, attack func(t *testing.T)) {
		memory.peak()
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			attack(t)
			most := memory.peak()
			t.Logf("%v, at most %d MiB", time.Since(began).Round(time.Millisecond), most>>20)
			if most > memoryLimit {
				t.Errorf("the server took %d MiB", most>>20)
			}
			beside.check(t)
			files, err := filepath.Glob(filepath.Join(temporary, "*"))
			if err != nil || len(files) > 0 {
				t.Errorf("temporary files %v, %v", files, err)
			}
		})
	}
	for _, attack := range bodyAttacks {
		step(attack.name, func(t *testing.T) {
			for _, visitor := range visitors() {
				var got statuses
				sideBySide(40, len(all)*times(2, 8), func(i int) {
					got.count(attack.run(t, s, all[i%len(all)], visitor))
				})
				t.Logf("statuses %v", got.of)
				if got.of[200] > 0 {
					t.Errorf("statuses %v: a request with such a body was served", got.of)
				}
			}
		})
	}
	step("slow forms", func(t *testing.T) { slowForms(t, s, all, visitors()) })
	step("many forms without their end", func(t *testing.T) { openForms(t, s, visitors()) })
	step("pages that cost much", func(t *testing.T) { costlyPages(t, s) })
	step("floods", func(t *testing.T) { floods(t, s, all, visitors()) })
	shrinks(t, s)
	if _, err := os.Stat(temporary); err != nil {
		t.Error(err)
	}
}

// slowForms sends a byte of a form a second to every route. It is cut off after the grace of
// five seconds.
func slowForms(t *testing.T, s *server, all []route, visitors []string) {
	var wg sync.WaitGroup
	for _, visitor := range visitors {
		for _, r := range all {
			conn := s.dial(t)
			wg.Go(func() {
				began := time.Now()
				write(conn, r.text()+visitor+asForm+"Content-Length: 1000\r\n\r\na")
				go trickle(conn)
				_ = conn.SetReadDeadline(time.Now().Add(patience))
				resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: r.method})
				if isTimeout(err) || err == nil && resp.StatusCode < 300 {
					t.Errorf("%s %s: %+v, %v after %v", r.method, r.path, resp, err, time.Since(began))
				}
			})
		}
	}
	wg.Wait()
}

// openForms begins many of the largest forms and does not end them.
func openForms(t *testing.T, s *server, visitors []string) {
	for _, visitor := range visitors {
		path, size := "/new", 6_000_000
		if visitor == "" {
			path, size = "/signin", 8000
		}
		part := strings.Repeat("x", size-100)
		var mu sync.Mutex
		var open []net.Conn
		together(times(60, 300), func(int) {
			conn := s.dial(t)
			write(conn, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\n%s%sContent-Length: %d\r\n\r\n", path, visitor, asForm, size))
			_ = conn.SetWriteDeadline(time.Now().Add(patience))
			_, _ = io.WriteString(conn, part) // the server may refuse it
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
		})
		var got statuses
		for _, conn := range open {
			got.add(conn)
			_ = conn.Close()
		}
		t.Logf("POST %s: statuses %v", path, got.of)
		if got.of[200]+got.of[303] > 0 {
			t.Errorf("POST %s: statuses %v", path, got.of)
		}
	}
}

// floods sends requests without bodies to every route, as fast as the server answers.
func floods(t *testing.T, s *server, all []route, visitors []string) {
	for _, visitor := range visitors {
		var got statuses
		sideBySide(40, len(all)*times(1, 4), func(i int) {
			r := all[i%len(all)]
			conn := s.dial(t)
			defer conn.Close()
			in := bufio.NewReader(conn)
			for end := time.Now().Add(2 * time.Second); time.Now().Before(end); { // wrong keys are delayed longer
				write(conn, r.text()+visitor+"Content-Length: 0\r\n\r\n")
				_ = conn.SetReadDeadline(time.Now().Add(patience))
				resp, err := http.ReadResponse(in, &http.Request{Method: r.method})
				if err != nil {
					if isTimeout(err) {
						t.Errorf("%s %s: no answer", r.method, r.path)
					}
					return
				}
				got.count(resp.StatusCode)
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					return
				}
			}
		})
		t.Logf("statuses %v", got.of)
		if got.of[500] > 0 {
			t.Errorf("statuses %v", got.of)
		}
	}
}

// costlyPages has one key ask for many pages at once that read the trail, check all rulesets or
// render Markdown that takes the square of its size.
func costlyPages(t *testing.T, s *server) {
	_, token := key(t, s.data, "--scopes", "rulesets:read,rulesets:write,audit:read,server:admin")
	visitor := s.visitor(t, token)
	conn := s.dial(t)
	write(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"+visitor+"\r\n")
	page, err := io.ReadAll(conn)
	found := regexp.MustCompile(`name="csrf" value="(\w+)"`).FindSubmatch(page)
	if err != nil || found == nil {
		t.Fatalf("no form: %v %s", err, page)
	}
	form := func(path string, fields url.Values) string {
		fields.Set("csrf", string(found[1]))
		text := fields.Encode()
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\n%s%sContent-Length: %d\r\n\r\n%s", path, visitor, asForm, len(text), text)
	}
	preview := func(text string) string { return form("/new", url.Values{"do": {"preview"}, "markdown": {text}}) }
	requests := []string{
		"GET /audit/export HTTP/1.1\r\nHost: localhost\r\n" + visitor + "\r\n",
		"GET /audit?text=a HTTP/1.1\r\nHost: localhost\r\n" + visitor + "\r\n",
		"GET /lint HTTP/1.1\r\nHost: localhost\r\n" + visitor + "\r\n",
		form("/audit/verify", url.Values{}),
		preview(strings.Repeat("a|", 2000) + "\n" + strings.Repeat("-|", 2000) + "\n" + strings.Repeat("|b\n", 3000)),
		preview(strings.Repeat("[a](", 60_000)),
		preview(strings.Repeat("a_", 120_000)),
	}
	var got statuses
	sideBySide(40, times(120, 600), func(i int) {
		conn := s.dial(t)
		defer conn.Close()
		write(conn, requests[i%len(requests)])
		got.add(conn)
	})
	t.Logf("statuses %v", got.of)
	if got.of[200] == 0 || got.of[429] == 0 || got.of[200]+got.of[429] != times(120, 600) {
		t.Errorf("statuses %v, want some 200 and otherwise 429", got.of)
	}
}
