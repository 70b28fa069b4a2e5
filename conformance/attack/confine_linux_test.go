package attack_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/disktest"
)

// What the server has while clients try to exhaust it.
const (
	memoryLimit = 512 << 20
	diskSize    = 200 << 20
)

// confined starts a server with limited memory and a small disk, and a key that
// is on it.
func confined(t *testing.T, flags ...string) (s *server, token string) {
	t.Helper()
	data := t.TempDir()
	disktest.Mount(t, data, diskSize)
	_, token = key(t, data)
	s = &server{data: data, prepare: confinement(t)}
	return s.start(t, flags...), token
}

// confinement returns how to start a program so that the kernel ends it when it
// takes more than memoryLimit: in a control group. Where none can be made, Go's
// runtime is told the limit, and the test watches what the process takes.
func confinement(t *testing.T) func(*exec.Cmd) {
	t.Helper()
	group, err := memoryGroup(t)
	if err != nil {
		t.Logf("no control group: %v; the limit is GOMEMLIMIT and a look at the memory", err)
		return func(cmd *exec.Cmd) {
			cmd.Env = append(withoutGOGC(cmd.Env), "GOMEMLIMIT="+strconv.Itoa(memoryLimit/10*9))
		}
	}
	t.Logf("memory is limited by the control group %s", group)
	return func(cmd *exec.Cmd) {
		cmd.Args = append([]string{"sh", "-c", `echo $$ >"$0/cgroup.procs" && exec "$@"`, group}, cmd.Args...)
		cmd.Path = "/bin/sh"
		cmd.Env = withoutGOGC(cmd.Env)
	}
}

// withoutGOGC leaves the collector as users have it.
func withoutGOGC(env []string) []string {
	var kept []string
	for _, one := range env {
		if !strings.HasPrefix(one, "GOGC=") {
			kept = append(kept, one)
		}
	}
	return kept
}

// memoryGroup makes a control group of version 1 or 2.
func memoryGroup(t *testing.T) (string, error) {
	var errs []error
	for _, version := range []struct{ root, limit string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"},
	} {
		group := filepath.Join(version.root, fmt.Sprintf("triptych-attack-%d", os.Getpid()))
		if err := os.Mkdir(group, 0o755); err != nil {
			errs = append(errs, err)
			continue
		}
		t.Cleanup(func() { _ = os.Remove(group) }) // the kernel may still count a process that has ended
		err := os.WriteFile(filepath.Join(group, version.limit), []byte(strconv.Itoa(memoryLimit)), 0)
		if err == nil {
			_ = os.WriteFile(filepath.Join(group, "memory.swap.max"), []byte("0"), 0) // version 1 has none
			return group, nil
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}

// resident returns the bytes of memory that the server has.
func (s *server) resident() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
			n, _ := strconv.ParseInt(fields[1], 10, 64) // the kernel writes numbers
			return n << 10
		}
	}
	return 0
}

// A watch notes the most memory that the server had.
type watch struct {
	mu   sync.Mutex
	most int64
	stop chan struct{}
	done sync.WaitGroup
}

// watch looks at the server until the test ends.
func (s *server) watch(t *testing.T) *watch {
	w := &watch{stop: make(chan struct{})}
	w.done.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			now := s.resident()
			w.mu.Lock()
			w.most = max(w.most, now)
			w.mu.Unlock()
			select {
			case <-w.stop:
				return
			case <-tick.C:
			}
		}
	})
	t.Cleanup(func() { close(w.stop); w.done.Wait() })
	return w
}

// peak returns the most since it was asked last.
func (w *watch) peak() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer func() { w.most = 0 }()
	return w.most
}
