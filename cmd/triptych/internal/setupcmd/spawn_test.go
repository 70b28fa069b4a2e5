package setupcmd

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
)

// A server that a client starts later, elsewhere, finds what was meant here.
func TestServerArgs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	a := newCommands(app.New())
	set := pflag.NewFlagSet("config", pflag.ContinueOnError)
	set.Bool("write", false, "")
	a.app.ServerFlags(set)
	if err := set.Parse([]string{"--write", "--families", "rulesets", "--families=aoc", "--data", "d", "--aoc-dir=p", "--documents", "x,y", "--documents=z", "--projects", "q", "--attach=own,pid:7", "--read-only", "--no-audit=false"}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"stdio", "--aoc-dir", filepath.Join(dir, "p"), "--attach", "own", "--attach", "pid:7", "--data", filepath.Join(dir, "d"),
		"--documents", filepath.Join(dir, "x,y"), "--documents", filepath.Join(dir, "z"), "--families", "rulesets,aoc",
		"--no-audit=false", "--projects", filepath.Join(dir, "q"), "--read-only=true",
	}
	if diff := cmp.Diff(want, serverArgs(set)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
