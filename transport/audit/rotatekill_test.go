package audit_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// A process that rotates a compromised key is killed at each step. No chain loses its trust, and
// a rotation that is resumed or repeated signs all.
func TestRotateIsKilled(t *testing.T) {
	for name, reached := range rotateSteps {
		t.Run(name, func(t *testing.T) {
			for range sample.Count(1, 5) {
				killRotation(t, reached)
			}
		})
	}
}

// rotateSteps report whether a rotation has come to a step.
var rotateSteps = map[string]func(r *rotated) bool{
	"it has the lock":       func(r *rotated) bool { return r.exists("rotate.lock") },
	"rotations.json is new": func(r *rotated) bool { return r.exists("rotations.json") },
	"the key is new":        func(r *rotated) bool { return r.differs("signing.key") },
	"the public key is new": func(r *rotated) bool { return r.differs("signing.pub") },
	"a chain is signed":     func(r *rotated) bool { return r.headsThatDiffer() > 0 },
	"half of them are":      func(r *rotated) bool { return r.headsThatDiffer() >= rotatedChains/2 },
	"all are signed":        func(r *rotated) bool { return r.headsThatDiffer() == rotatedChains },
}

// rotatedChains is the number of chains in the trail whose key is rotated.
const rotatedChains = 6

// A rotated holds the files of a trail as they were before its key was rotated.
type rotated struct {
	dir    string
	before map[string][]byte
}

func (r *rotated) exists(name string) bool {
	_, err := os.Stat(filepath.Join(r.dir, name))
	return err == nil
}

func (r *rotated) differs(name string) bool {
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	return err == nil && !bytes.Equal(text, r.before[name])
}

func (r *rotated) headsThatDiffer() (n int) {
	for name := range r.before {
		if filepath.Base(name) == "head" && r.differs(name) {
			n++
		}
	}
	return n
}

// killRotation kills a rotation once it has come to a step, or later: the process does not wait.
func killRotation(t *testing.T, reached func(*rotated) bool) {
	t.Helper()
	r := newRotated(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+r.dir, childRotates+"=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for done := false; !done && !reached(r); {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %s", err, &said)
			}
			ended <- nil
			done = true
		case <-time.After(50 * time.Microsecond):
		}
	}
	_ = cmd.Process.Kill() // it may have ended
	<-ended
	const records = 2 * rotatedChains
	whole(t, r.dir, records)
	resumed, err := audit.ResumeRotation(t.Context(), audit.Config{Dir: r.dir})
	if err != nil || len(resumed.Signed) != rotatedChains {
		t.Fatalf("%+v, %v, want %d chains that are signed", resumed, err, rotatedChains)
	}
	whole(t, r.dir, records)
	again, err := audit.Rotate(t.Context(), audit.Config{Dir: r.dir}, true)
	if err != nil || len(again.Signed) != rotatedChains {
		t.Fatalf("%+v, %v, want %d chains that are signed", again, err, rotatedChains)
	}
	report, err := audit.Verify(t.Context(), r.dir, again.New)
	if err != nil || report.Err() != nil || report.Records() != records {
		t.Fatalf("with the last key: %d records, %v, %v", report.Records(), err, report.Err())
	}
}

// newRotated makes a trail of chains at rest.
func newRotated(t *testing.T) *rotated {
	t.Helper()
	r := &rotated{dir: filepath.Join(t.TempDir(), "audit"), before: map[string][]byte{}}
	var logs []*audit.Log
	for range rotatedChains {
		l := audit.New(audit.Config{Dir: r.dir})
		for range 2 {
			seq, err := l.Append(audit.Record{Key: "k", Outcome: audit.OK})
			if err == nil {
				err = l.Commit(t.Context(), seq)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		logs = append(logs, l)
	}
	for _, l := range logs {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	heads, err := filepath.Glob(filepath.Join(r.dir, "*", "head"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(heads, filepath.Join(r.dir, "signing.key"), filepath.Join(r.dir, "signing.pub")) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(r.dir, path)
		if err != nil {
			t.Fatal(err)
		}
		r.before[name] = text
	}
	return r
}
