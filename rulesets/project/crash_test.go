package project

import (
	"bufio"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

const crashDir = "TRIPTYCH_TEST_CRASH_DIR"

// TestMain makes the test program a process that pulls until it is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		fmt.Fprintln(os.Stderr, pullForever(dir))
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// crashRules are the rulesets of a version.
func crashRules(version int) (all []ruleset.Ruleset) {
	for n := range 20 {
		all = append(all, ruleset.Ruleset{
			Meta: ruleset.Meta{Name: ruleset.Name(fmt.Sprintf("r%d", n))}, Rev: version + 1,
			Markdown: strings.Repeat(fmt.Sprintf("Rule %d of version %d\n", n, version), 50),
		})
	}
	return all[:20-5*version]
}

func pullForever(dir string) error {
	fmt.Println("ready")
	for n := 0; ; n++ {
		if err := pullVersion(dir, n%2); err != nil {
			return err
		}
	}
}

func pullVersion(dir string, version int) error {
	p, err := Open(dir)
	if err != nil {
		return err
	}
	defer p.Close()
	plan, err := p.Plan(Set{Rulesets: crashRules(version)}, nil)
	if err != nil {
		return err
	}
	_, err = p.Apply(plan, Stop)
	return err
}

// A process that pulls is killed at any point. Every file is old or new then, and
// the next pull goes on without a question.
func TestKilledWhilePulling(t *testing.T) {
	kills := sample.Count(8, 80)
	dir := t.TempDir()
	ours := "Text of ours\n"
	if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte(ours), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, SelectionFile), []byte("targets: [agents, cursor, claude]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	versions := []map[string]string{versionFiles(t, dir, 1), versionFiles(t, dir, 0)}
	random := rand.New(rand.NewPCG(16, 9))
	for range kills {
		killPull(t, dir, time.Duration(random.IntN(20_000))*time.Microsecond)
		checkOldOrNew(t, dir, versions)
	}
	for _, version := range []int{0, 1} {
		if err := pullVersion(dir, version); err != nil {
			t.Fatal(err)
		}
		for name := range files(t, dir) {
			if strings.Contains(name, "triptych-new") {
				t.Errorf("%s is left", name)
			}
		}
	}
}

// killPull starts a process that pulls and kills it after a time.
func killPull(t *testing.T, dir string, after time.Duration) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), crashDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after) // the point of the kill is random, and any will do
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() == 3 {
		t.Fatalf("the process ended by itself: %v", err)
	}
}

func versionFiles(t *testing.T, dir string, version int) map[string]string {
	t.Helper()
	if err := pullVersion(dir, version); err != nil {
		t.Fatal(err)
	}
	return files(t, dir)
}

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	b := &bench{t: t, dir: dir}
	return b.files()
}

func checkOldOrNew(t *testing.T, dir string, versions []map[string]string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		name := filepath.ToSlash(rel)
		if err != nil || name == LockFile || strings.HasSuffix(name, "triptych-new") {
			return err
		}
		data, err := os.ReadFile(path)
		if got := string(data); got != versions[0][name] && got != versions[1][name] {
			t.Errorf("%s is neither old nor new: %q", name, got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
