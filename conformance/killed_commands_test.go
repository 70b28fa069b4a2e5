package conformance

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// killedRules is the number of rules of the project whose commands are killed.
const killedRules = 30

// A killing is a project with a store, whose commands are killed at random moments.
type killing struct {
	*testing.T
	program       string
	project, data string
	random        *rand.Rand
}

// Commands are killed at any moment. Each rule file and each ruleset is old or new then,
// never a part of one, and the same command goes on afterwards: nothing is lost.
func TestKilledCommands(t *testing.T) {
	program, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	k := &killing{T: t, program: program, project: t.TempDir(), data: t.TempDir(), random: rand.New(rand.NewPCG(28, 11))}
	k.write(0)
	kills := sample.Count(6, 70)
	k.importing(kills)
	k.pulling(kills)
	k.pushing(kills)
}

// rule returns the path of a rule file, and its text once lines were added to it.
func (k *killing) rule(n, lines int) (path, text string) {
	var b strings.Builder
	for l := range lines + 1 {
		b.WriteString(strings.Repeat(fmt.Sprintf("Rule %d, line %d.\n", n, l), 40))
	}
	return filepath.Join(k.project, ".cursor", "rules", fmt.Sprintf("rule_%02d.mdc", n)), b.String()
}

// head is the front matter of the rule files.
const head = "---\ndescription: A rule\nalwaysApply: true\n---\n"

// write writes the rule files as people do.
func (k *killing) write(lines int) {
	k.Helper()
	for n := range killedRules {
		path, text := k.rule(n, lines)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			k.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(head+text), 0o644); err != nil {
			k.Fatal(err)
		}
	}
}

// run runs a command to its end, which must be a success, and returns its time.
func (k *killing) run(args ...string) time.Duration {
	k.Helper()
	cmd := k.command(args)
	begun := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		k.Fatalf("%s: %v\n%s", args, err, out)
	}
	return time.Since(begun)
}

func (k *killing) command(args []string) *exec.Cmd {
	cmd := exec.CommandContext(k.Context(), k.program, append(args, "--data", k.data)...)
	cmd.Dir = k.project
	cmd.Env = []string{"HOME=" + k.data, "PATH=" + os.Getenv("PATH")}
	return cmd
}

// kill runs a command and kills it after a part of a time.
func (k *killing) kill(within time.Duration, args ...string) {
	k.Helper()
	cmd := k.command(args)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		k.Fatal(err)
	}
	time.Sleep(time.Duration(k.random.Int64N(int64(within)))) // the moment of the kill is random, and any will do
	_ = cmd.Process.Kill()                                    // it may have ended
	if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() >= 0 {
		k.Fatalf("%s failed before it was killed: %v\n%s", args, err, &out)
	}
}

// stored returns the text of a ruleset in the store, "" if it is not there.
func (k *killing) stored(n int) string {
	k.Helper()
	text, err := os.ReadFile(filepath.Join(k.data, "rulesets", fmt.Sprintf("rule_%02d.md", n)))
	if os.IsNotExist(err) {
		return ""
	}
	if err != nil {
		k.Fatal(err)
	}
	return string(text)
}

// bodyOf returns the text behind the front matter of a ruleset.
func bodyOf(stored string) string {
	_, body, _ := strings.Cut(stored, "\n---\n")
	return strings.TrimLeft(body, "\n")
}

// importing imports the rules, again and again from nothing.
func (k *killing) importing(kills int) {
	took := k.run("rulesets", "import", ".")
	for range kills {
		if err := os.RemoveAll(filepath.Join(k.data, "rulesets")); err != nil {
			k.Fatal(err)
		}
		k.kill(took, "rulesets", "import", ".")
		for n := range killedRules {
			if _, text := k.rule(n, 0); k.stored(n) != "" && bodyOf(k.stored(n)) != text {
				k.Errorf("a part of rule %d was imported: %q", n, k.stored(n))
			}
		}
		k.run("rulesets", "import", ".")
		for n := range killedRules {
			if _, text := k.rule(n, 0); bodyOf(k.stored(n)) != text {
				k.Fatalf("rule %d after another import: %q", n, k.stored(n))
			}
		}
	}
}

// pulling pulls all rules and a third of them in turn.
func (k *killing) pulling(kills int) {
	all := []string{"rulesets", "pull", "--target", "cursor,claude"}
	third := []string{"rulesets", "pull", "--select", "rule_0*"}
	took := k.run(all...)
	for i := range kills {
		k.kill(took, [][]string{third, {"rulesets", "pull"}}[i%2]...)
		for n := range killedRules {
			path, text := k.rule(n, 0)
			if got, err := os.ReadFile(path); err == nil && !strings.HasSuffix(string(got), text) {
				k.Errorf("a part of %s was pulled: %q", path, got)
			}
		}
	}
	k.run("rulesets", "pull")
	k.run("rulesets", "status")
	for n := range killedRules {
		path, text := k.rule(n, 0)
		if got, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(got), text) {
			k.Errorf("%s after the last pull: %q, %v", path, got, err)
		}
	}
}

// pushing adds a line to every rule file and pushes it.
func (k *killing) pushing(kills int) {
	k.write(1)
	took := k.run("rulesets", "push")
	for i := range kills {
		lines := i + 2
		k.run("rulesets", "pull")
		k.write(lines)
		k.kill(took, "rulesets", "push")
		for n := range killedRules {
			_, before := k.rule(n, lines-1)
			path, text := k.rule(n, lines)
			if got := k.stored(n); bodyOf(got) != text && bodyOf(got) != before {
				k.Fatalf("a part of rule %d was pushed: %.200q", n, got)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != head+text {
				k.Fatalf("%s is not as it was written: %.200q, %v", path, got, err)
			}
		}
		k.run("rulesets", "push")
		for n := range killedRules {
			if _, text := k.rule(n, lines); bodyOf(k.stored(n)) != text {
				k.Fatalf("rule %d after another push: %.200q", n, k.stored(n))
			}
		}
	}
}
