package attack_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// patience limits the time of everything that should be quick, also beside forty busy
// processes.
const patience = time.Minute

// run runs a command of the program on a data folder and returns its standard
// output.
func run(t *testing.T, data string, args ...string) string {
	t.Helper()
	out, err := command(t, data, args...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("triptych %v: %v\n%s", args, err, exit.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func command(t *testing.T, data string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), path, args...)
	// A small heap is collected often, so that the memory in use is the
	// memory needed.
	cmd.Env = []string{"HOME=" + data, "PATH=" + os.Getenv("PATH"), "TRIPTYCH_DATA=" + data, "GOGC=25", "LOG_LEVEL=warn"}
	return cmd
}

// A server is the program as a child process.
type server struct {
	data    string // its data folder
	url     string
	addr    string
	metrics string // the address of the metrics
	tls     *tls.Config
	cmd     *exec.Cmd
	done    chan struct{}   // closed when its standard error ends
	mayFail bool            // whether it may say that a promise failed
	prepare func(*exec.Cmd) // if not nil, changes how it is started
	note    string          // lines of the log that have it are counted, unless it is ""
	noted   atomic.Int32
}

var servingLine = regexp.MustCompile(`^triptych: serving (https?://([^/]*)/mcp)$`)

// start starts a server on a data folder, which has a key already. It ends with
// the test.
func start(t *testing.T, data string, flags ...string) *server {
	t.Helper()
	return (&server{data: data}).start(t, flags...)
}

func (s *server) start(t *testing.T, flags ...string) *server {
	t.Helper()
	data := s.data
	s.metrics, s.done = valkeytest.FreeAddr(t), make(chan struct{})
	s.cmd = command(t, data, append([]string{"serve", "--listen", "127.0.0.1:0", "--metrics-listen", s.metrics}, flags...)...)
	if s.prepare != nil {
		s.prepare(s.cmd)
	}
	told, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.kill() })
	serving := make(chan []string, 1)
	go s.listen(t, told, serving)
	select {
	case found := <-serving:
		s.url, s.addr = found[1], found[2]
	case <-s.done:
		t.Fatal("the server ended")
	case <-time.After(patience):
		t.Fatal("the server does not say where it serves")
	}
	s.tls = trust(t, s.url, filepath.Join(data, "tls", "cert.pem"))
	return s
}

// listen hands over where the server serves, and logs whatever else it says
// while the test runs.
func (s *server) listen(t *testing.T, told io.Reader, serving chan<- []string) {
	defer close(s.done)
	lines := bufio.NewScanner(told)
	for lines.Scan() {
		if found := servingLine.FindStringSubmatch(lines.Text()); found != nil {
			serving <- found
			continue
		}
		if s.note != "" && strings.Contains(lines.Text(), s.note) {
			s.noted.Add(1)
		}
		if strings.Contains(lines.Text(), "panic") || !s.mayFail && strings.Contains(lines.Text(), "level=ERROR") {
			t.Errorf("the server says: %s", lines.Text())
		}
	}
}

// trust returns the configuration with which a client trusts the server.
func trust(t *testing.T, url, file string) *tls.Config {
	t.Helper()
	if !strings.HasPrefix(url, "https:") {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		t.Fatal("no certificate in " + file)
	}
	return &tls.Config{RootCAs: roots, ServerName: "localhost"}
}

// kill ends the server as a crash would.
func (s *server) kill() {
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.done
	_ = s.cmd.Wait() // that it was killed is known
}

// terminate tells the server to end and returns a wait for its exit status.
func (s *server) terminate(t *testing.T) (wait func() error) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	return func() error {
		<-s.done
		return s.cmd.Wait()
	}
}

var createdLine = regexp.MustCompile(`created (key_[0-9a-z]{10}):`)

// key makes a key. Unless told otherwise, no test shall meet its limits.
func key(t *testing.T, data string, flags ...string) (id, token string) {
	t.Helper()
	if !strings.Contains(strings.Join(flags, " "), "--plan") {
		flags = append(flags, "--plan", "enterprise", "--month", "0", "--minute", "100000")
	}
	cmd := command(t, data, append([]string{"key", "create"}, flags...)...)
	var told strings.Builder
	cmd.Stderr = &told
	out, err := cmd.Output()
	found := createdLine.FindStringSubmatch(told.String())
	if err != nil || found == nil {
		t.Fatalf("key create: %v\n%s", err, told.String())
	}
	return found[1], strings.TrimSpace(string(out))
}

// number is one of the server's metrics.
func (s *server) number(t *testing.T, name string) float64 {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.metrics+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true // its connection shall not be counted
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return value
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}
