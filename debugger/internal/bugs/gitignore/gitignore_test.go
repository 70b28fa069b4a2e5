package gitignore

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ignoreCases holds lists and paths; git itself gives the expected results.
var ignoreCases = []struct {
	name, list string
	paths      []string
}{
	{"names", "a.go\n", []string{"a.go", "b.go", "x/a.go", "x/a.go.go"}},
	{"folders only", "out/\n", []string{"out/a.go", "x/out/a.go", "x/out"}},
	{"anchored", "/a.go\nx/b.go\n", []string{"a.go", "x/a.go", "x/b.go", "y/x/b.go"}},
	{"stars", "*.gen.go\ntmp*\n", []string{"a.gen.go", "x/b.gen.go", "tmp", "tmpx/a.go", "atmp"}},
	{"star stays in its folder", "x/*.go\n", []string{"x/a.go", "x/y/a.go"}},
	{"double star first", "**/gen/a.go\n", []string{"gen/a.go", "x/gen/a.go", "x/y/gen/a.go", "xgen/a.go"}},
	{"double star last", "x/**\n", []string{"x/a.go", "x/y/a.go", "y/x/a.go"}},
	{"double star between", "x/**/a.go\n", []string{"x/a.go", "x/y/a.go", "x/y/z/a.go", "xy/a.go"}},
	{"question mark", "a?.go\n", []string{"ab.go", "a.go", "abc.go"}},
	{"sets", "a[bc].go\nx[!y].go\nz[a-c].go\n", []string{"ab.go", "ad.go", "xz.go", "xy.go", "zb.go", "zd.go"}},
	{"set with a bracket", "a[]b].go\n", []string{"a].go", "ab.go", "ac.go"}},
	{"open set", "a[b.go\n*.c\n", []string{"a[b.go", "ab.go", "x.c"}},
	{"included again", "*.go\n!keep.go\n", []string{"a.go", "keep.go", "x/keep.go"}},
	{"order", "!keep.go\n*.go\n", []string{"keep.go"}},
	{"comments and blanks", "# a.go\n\n\\#b.go\n", []string{"a.go", "#b.go"}},
	{"escapes", "\\!a.go\na\\*.go\n", []string{"!a.go", "a*.go", "ab.go"}},
	{"spaces at the end", "a.go   \nb.go\\ \n", []string{"a.go", "b.go", "b.go "}},
	{"carriage returns", "a.go\r\nb/\r\n", []string{"a.go", "b/c.go"}},
	{"dots are dots", "a.go\n", []string{"axgo", "a.go"}},
	{"letters beyond ASCII", "ä*.go\n", []string{"äb.go", "ab.go"}},
	{"nothing but slashes", "/\n//\n", []string{"a.go", "x/a.go"}},
}

// git answers which of the paths a list ignores.
func TestIgnoreLikeGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is the oracle, and is not installed")
	}
	for _, c := range ignoreCases {
		t.Run(c.name, func(t *testing.T) {
			list := Parse(nil, ".", c.list)
			want := gitIgnores(t, c.list, c.paths)
			for _, path := range c.paths {
				if got := ignoredPath(list, path); got != want[path] {
					t.Errorf("%q ignored: %v, want %v", path, got, want[path])
				}
			}
		})
	}
}

// ignoredPath asks as a walk does, from the outermost folder inward.
func ignoredPath(l *List, path string) bool {
	for i := range len(path) {
		if path[i] == '/' && l.Ignores(path[:i], true) {
			return true
		}
	}
	return l.Ignores(path, false)
}

// gitIgnores is which of paths git ignores.
func gitIgnores(t *testing.T, list string, paths []string) map[string]bool {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, ".gitignore"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	runGit(t, folder, "", "init", "-q")
	ignored := map[string]bool{}
	input := strings.Join(paths, "\x00") + "\x00"
	for path := range strings.SplitSeq(runGit(t, folder, input, "check-ignore", "-z", "--stdin", "--no-index"), "\x00") {
		ignored[path] = true
	}
	return ignored
}

// runGit runs git in a folder. Status 1 is that nothing is ignored.
func runGit(t *testing.T, folder, input string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	cmd.Stdin = strings.NewReader(input)
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("git %v: %v", args, err)
	}
	return out.String()
}

// A list may stand above what is searched, and below.
func TestIgnoreListsOfManyFolders(t *testing.T) {
	top := ParseAbove(nil, "src", "*.c\nsrc/old/\n")
	inner := Parse(top, ".", "!keep.c\n")
	deep := Parse(inner, "deep", "/b.go\n")
	for _, c := range []struct {
		path   string
		folder bool
		want   bool
	}{
		{"a.c", false, true},
		{"keep.c", false, false},
		{"old", true, true},
		{"new", true, false},
		{"deep/b.go", false, true},
		{"deep/x/b.go", false, false},
	} {
		if got := deep.Ignores(c.path, c.folder); got != c.want {
			t.Errorf("%s ignored: %v, want %v", c.path, got, c.want)
		}
	}
}

// No list makes the parser fail or wait.
func FuzzIgnore(f *testing.F) {
	for _, c := range ignoreCases {
		f.Add(c.list, c.paths[0])
	}
	f.Add(strings.Repeat("**/", 40)+"a\n", strings.Repeat("x/", 40))
	f.Fuzz(func(_ *testing.T, list, path string) {
		Parse(nil, ".", list).Ignores(path, false)
	})
}
