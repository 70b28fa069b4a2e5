//go:build unix

package scale_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// patience limits what should be quick on any machine.
const patience = 30 * time.Second

// recovery is the time within which calls succeed again after the store is able to
// answer them. On a busy machine it takes slack more.
const (
	recovery = 2 * time.Second
	slack    = 3 * time.Second
)

// command is a command of the program with a data folder and a store.
func command(t *testing.T, data, store string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), path, args...)
	cmd.Env = []string{"HOME=" + data, "PATH=" + os.Getenv("PATH"), "TRIPTYCH_DATA=" + data, "TRIPTYCH_STORE=" + store}
	return cmd
}

// run runs a command and returns its standard output and error.
func run(t *testing.T, data, store string, args ...string) (out, told string, err error) {
	t.Helper()
	return runFor(t, patience, data, store, args...)
}

// runFor is run with another limit than patience.
func runFor(t *testing.T, limit time.Duration, data, store string, args ...string) (out, told string, err error) {
	t.Helper()
	cmd := command(t, data, store, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	timer := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() }) // a command that serves does not end
	defer timer.Stop()
	if err = cmd.Start(); err == nil {
		err = cmd.Wait()
	}
	return strings.TrimSpace(stdout.String()), stderr.String(), err
}

// newKey makes a key that no test exhausts unless flags say otherwise.
func newKey(t *testing.T, store string, flags ...string) (token string) {
	t.Helper()
	if len(flags) == 0 {
		flags = []string{"--plan", "enterprise", "--month", "0", "--minute", "1000000"}
	}
	out, told, err := run(t, t.TempDir(), store, append([]string{"key", "create"}, flags...)...)
	if err != nil {
		t.Fatalf("key create: %v\n%s", err, told)
	}
	return out
}

// A server is the program as a child process, at an address that it keeps.
type server struct {
	data, store, addr string
	flags             []string
	cmd               *exec.Cmd
	serving, done     chan struct{} // closed when it serves, and when its standard error ends

	mu   sync.Mutex
	told strings.Builder
}

// start starts a server. It ends with the test.
func start(t *testing.T, store string, flags ...string) *server {
	t.Helper()
	s := launch(t, store, flags...)
	s.await(t)
	return s
}

// launch starts a server and does not wait until it serves. ADDR in a flag stands for
// its address.
func launch(t *testing.T, store string, flags ...string) *server {
	t.Helper()
	s := &server{data: t.TempDir(), store: store, addr: valkeytest.FreeAddr(t)}
	for _, flag := range flags {
		s.flags = append(s.flags, strings.ReplaceAll(flag, "ADDR", s.addr))
	}
	s.launch(t)
	t.Cleanup(func() { s.kill() })
	return s
}

// launch starts the server, also again after its end.
func (s *server) launch(t *testing.T) {
	t.Helper()
	args := append([]string{"serve", "--families", "rulesets", "--plain-http", "--listen", s.addr}, s.flags...)
	s.cmd, s.done = command(t, s.data, s.store, args...), make(chan struct{})
	told, err := s.cmd.StderrPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.serving = make(chan struct{})
	go s.listen(told, s.serving)
}

// await returns when the server serves.
func (s *server) await(t *testing.T) {
	t.Helper()
	select {
	case <-s.serving:
	case <-s.done:
		t.Fatalf("the server ended:\n%s", s.log())
	case <-time.After(patience):
		t.Fatalf("the server does not say where it serves:\n%s", s.log())
	}
}

// listen collects what the server says.
func (s *server) listen(told io.Reader, serving chan<- struct{}) {
	defer close(s.done)
	lines := bufio.NewScanner(told)
	for lines.Scan() {
		s.mu.Lock()
		fmt.Fprintln(&s.told, lines.Text())
		s.mu.Unlock()
		if strings.HasPrefix(lines.Text(), "triptych: serving ") {
			close(serving)
		}
	}
}

// log returns what the server has said.
func (s *server) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told.String()
}

// kill ends the server as a crash would.
func (s *server) kill() {
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.done
	_ = s.cmd.Wait() // that it was killed is known
}

// end tells the server to end and waits for it.
func (s *server) end(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	timer := time.AfterFunc(2*patience, func() { _ = s.cmd.Process.Signal(syscall.SIGQUIT) }) // it tells where it hangs
	defer timer.Stop()
	<-s.done
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v:\n%s", err, s.log())
	}
}

func (s *server) url() string { return "http://" + s.addr + "/mcp" }

// An answer is that to one request.
type answer struct {
	status int
	header http.Header
	body   string
	took   time.Duration
}

// A caller sends requests with a key.
type caller struct {
	token  string
	client *http.Client
	header http.Header // of every request, besides the usual ones
}

func newCaller(token string) *caller {
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	return &caller{token: token, client: &http.Client{Transport: transport, Timeout: patience}, header: http.Header{}}
}

// send sends one message.
func (c *caller) send(ctx context.Context, url, message string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		return answer{}, err
	}
	for name, values := range c.header {
		req.Header[name] = values
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	return c.do(req)
}

func (c *caller) do(req *http.Request) (answer, error) {
	began := time.Now()
	resp, err := c.client.Do(req)
	if err != nil {
		return answer{took: time.Since(began)}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(text), time.Since(began)}, err
}

// call calls a tool, and returns an error unless it succeeds.
func (c *caller) call(ctx context.Context, url, tool string, arguments map[string]any) error {
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return err
	}
	got, err := c.send(ctx, url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+string(params)+`}`)
	if err != nil {
		return err
	}
	var reply struct {
		Result *struct {
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	if json.Unmarshal([]byte(got.body), &reply) != nil || got.status != http.StatusOK || reply.Result == nil || reply.Result.IsError {
		return fmt.Errorf("%s: status %d: %s", tool, got.status, got.body)
	}
	return nil
}

// create makes a ruleset.
func (c *caller) create(ctx context.Context, url, name string) error {
	return c.call(ctx, url, "create_ruleset", map[string]any{"name": name, "description": "d", "markdown": "c"})
}

// list reads: a call that is metered, recorded, and changes nothing.
func (c *caller) list(ctx context.Context, url string) error {
	return c.call(ctx, url, "list_rulesets", map[string]any{})
}

var errNever = errors.New("it was not tried")

// until repeats an attempt until it succeeds and returns how long that took. It fails
// the test after the limit.
func until(t *testing.T, limit time.Duration, what string, attempt func() error) time.Duration {
	t.Helper()
	began, last := time.Now(), errNever
	for last != nil {
		if time.Since(began) > limit {
			t.Fatalf("%s not within %v: %v", what, limit, last)
		}
		if last = attempt(); last != nil {
			time.Sleep(10 * time.Millisecond)
		}
	}
	return time.Since(began)
}
