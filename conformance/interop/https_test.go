package interop_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A visit records a client's exchanges with a server over HTTPS.
type visit struct {
	Refused   refusal    `json:"refused"`
	Exchanges []exchange `json:"exchanges"`
	Session   string     `json:"session"`
}

// A refusal is the error that an SDK made of the answer to a wrong key: its
// class where the language has that, the status of the answer, and a part of
// the message.
type refusal struct {
	Error   string `json:"error"`
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// An exchange is one request and its response.
type exchange struct {
	Verb    string `json:"verb"`
	Message string `json:"message"` // the method in the body
	Status  int    `json:"status"`
	Type    string `json:"type"`
}

// refusals are by program and mode.
var refusals = map[string]refusal{
	typescript1:            {Error: "StreamableHTTPError", Status: http.StatusUnauthorized, Message: "Authentication failed"},
	typescript2 + "legacy": {Error: "SdkHttpError", Status: http.StatusUnauthorized, Message: "Authentication failed"},
	typescript2 + "auto":   {Error: "SdkHttpError", Status: http.StatusUnauthorized, Message: "requires authorization (HTTP 401)"},
	typescript2 + "pin":    {Error: "UnauthorizedError", Status: http.StatusUnauthorized, Message: "Unauthorized"},
	golang:                 {Status: http.StatusUnauthorized, Message: "Unauthorized"},
}

// A passage is the expected traffic of one era: the message that begins it,
// and every kind of exchange with how many there are. All that is heard unasked
// comes by the only streams there are.
type passage struct {
	first string
	kinds map[string]int
}

// several marks a kind of exchange that is not counted.
const several = -1

var (
	legacy = passage{first: "initialize", kinds: map[string]int{
		"POST 200 application/json": several,
		"POST 202 ":                 several,
		"GET 200 text/event-stream": 1,
		"DELETE 204 ":               1,
	}}
	modern = passage{first: "server/discover", kinds: map[string]int{
		"POST 200 application/json":  several,
		"POST 202 ":                  several,
		"POST 200 text/event-stream": 2, // the lists, and the resource
	}}
)

// overHTTPS lets the client speak with a server that is there already: first
// with a key that is good elsewhere, then with the server's own.
func overHTTPS(t *testing.T, c client, command []string, server string) {
	data := layPuzzle(t)
	site := open(t, server, data)
	got := converse(t, c, command, append([]string{server, "stdio"}, flags(data)...), run{
		URL: site.url, Certificate: site.certificate, Key: site.key, Wrong: foreignKey(t, server), Provider: c.provider,
	})
	checkRefusal(t, c, got.Refused)
	checkExchanges(t, c, got.Exchanges)
	site.checkSession(t, c, got.Session)
}

// foreignKey is a key of another server.
func foreignKey(t *testing.T, server string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), server, "key", "create", "--data", t.TempDir()).Output()
	if err != nil {
		t.Fatalf("key create: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func checkRefusal(t *testing.T, c client, got refusal) {
	t.Helper()
	want, ok := refusals[c.program+c.mode]
	if !ok || got.Error != want.Error || got.Status != want.Status || !strings.Contains(got.Message, want.Message) {
		t.Errorf("the wrong key gives %+v, want %+v", got, want)
	}
}

func checkExchanges(t *testing.T, c client, exchanges []exchange) {
	t.Helper()
	want := legacy
	if c.revision >= "2026-07-28" {
		want = modern
	}
	if len(exchanges) == 0 || exchanges[0].Message != want.first {
		t.Errorf("the exchanges do not begin with %s: %v", want.first, exchanges)
	}
	kinds := map[string]int{}
	for _, e := range exchanges {
		kind := fmt.Sprintf("%s %d %s", e.Verb, e.Status, e.Type)
		kinds[kind]++
		if want.kinds[kind] == several {
			kinds[kind] = several
		}
	}
	if diff := cmp.Diff(want.kinds, kinds); diff != "" {
		t.Errorf("the exchanges differ (-want +got):\n%s\n%v", diff, exchanges)
	}
}

// A site is a server over HTTPS and the key that it made.
type site struct{ url, key, certificate string }

// open starts a server, which ends with the test and must not have said more
// than where it is and what its key is.
func open(t *testing.T, server, data string) site {
	t.Helper()
	cmd := exec.Command(server, append([]string{"serve", "--listen", "127.0.0.1:0"}, flags(data)...)...)
	cmd.Env = withoutCookie(t)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killer := time.AfterFunc(2*patience, func() { _ = cmd.Process.Kill() }) // it must not outlast a test that hangs
	told := bufio.NewReader(log)
	first, logErr := told.ReadString('\n')
	rest := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(told) // it ends with the server
		rest <- string(text)
	}()
	t.Cleanup(func() { killer.Stop(); end(t, cmd, rest) })
	_, url, ok := strings.Cut(first, "triptych: serving ")
	if !ok {
		t.Fatalf("the server begins with %q: %v", first, logErr)
	}
	key := firstKey(t, data)
	return site{strings.TrimSpace(url), key, filepath.Join(data, "tls", "cert.pem")}
}

// firstKey waits for the file of the first key and returns the key.
func firstKey(t *testing.T, data string) string {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		key, err := os.ReadFile(filepath.Join(data, "keys", "first-key"))
		if err == nil {
			return strings.TrimSpace(string(key))
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// attention matches lines of the log that need it.
var attention = regexp.MustCompile(`level=(WARN|ERROR)`)

// end stops the server and checks that it exits cleanly, with nothing in its log that
// needs attention.
func end(t *testing.T, cmd *exec.Cmd, rest <-chan string) {
	t.Helper()
	_ = cmd.Process.Signal(syscall.SIGTERM) // Wait says what is wrong if it has ended
	killer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer killer.Stop()
	log := <-rest
	if err := cmd.Wait(); err != nil || attention.MatchString(log) {
		t.Errorf("the server ended with %v and said\n%s", err, log)
	}
}

// checkSession expects that the client had a session if its revision has them,
// and that it ended the session when it left.
func (s site) checkSession(t *testing.T, c client, session string) {
	t.Helper()
	if c.revision >= "2026-07-28" {
		if session != "" {
			t.Errorf("there is a session %q", session)
		}
		return
	}
	if session == "" {
		t.Error("there is no session")
		return
	}
	if got := s.ping(t, session); got != http.StatusNotFound {
		t.Errorf("a ping in the session that was left gives status %d, want 404", got)
	}
}

// ping asks whether a session lives and returns the status.
func (s site) ping(t *testing.T, session string) int {
	t.Helper()
	pem, err := os.ReadFile(s.certificate)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + s.key, "Content-Type": "application/json", "Mcp-Session-Id": session,
	} {
		req.Header.Set(name, value)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}
