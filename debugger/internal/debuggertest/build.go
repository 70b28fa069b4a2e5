package debuggertest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Source is the path of a program's source.
func Source(name string) string {
	_, here, _, _ := runtime.Caller(0)
	if !filepath.IsAbs(here) { // built with -trimpath: it begins with the module's path
		here = filepath.Join(ModuleRoot(), strings.TrimPrefix(here, "github.com/triptych-mcp/triptych/"))
	}
	return filepath.Join(filepath.Dir(here), "testdata", "programs", name)
}

// ModuleRoot is the folder with go.mod that the test runs in or below.
func ModuleRoot() string {
	dir, _ := os.Getwd()
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
	}
	return dir
}

// Build compiles a program, with flags beside the usual ones, and returns the
// path of the result. It is built once for each source and set of flags, and
// kept in the user's cache. The test is skipped when there is no compiler.
func Build(t testing.TB, name string, flags ...string) string {
	t.Helper()
	source, err := os.ReadFile(Source(name))
	if err != nil {
		t.Fatal(err)
	}
	key := fmt.Append(nil, Source(name), flags, runtime.Version(), os.Getenv("GOFLAGS"), "\n", string(source))
	return Cached(t, strings.ReplaceAll(name, ".", "-"), key, func(out string) { compile(t, name, out, flags) })
}

// Compile returns the path of the program that a command makes of one source, besides
// -o and the path of the result. Libraries (-l) come behind the source, for the linker
// reads them in order. The program is built once for each source, command and
// environment, and kept in the user's cache. The test is skipped without the compiler.
func Compile(t testing.TB, source string, env []string, command ...string) string {
	t.Helper()
	if _, err := exec.LookPath(command[0]); err != nil {
		t.Skipf("building %s needs %s", source, command[0])
	}
	source, err := filepath.Abs(source)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	key := fmt.Append(nil, source, env, command, runtime.Version(), os.Getenv("GOFLAGS"), "\n", string(text))
	return Cached(t, "program", key, func(out string) {
		var before, libraries []string
		for _, word := range command[1:] {
			if command[0] != "go" && strings.HasPrefix(word, "-l") {
				libraries = append(libraries, word)
			} else {
				before = append(before, word)
			}
		}
		cmd := exec.CommandContext(t.Context(), command[0], slices.Concat(before, []string{"-o", out, source}, libraries)...)
		cmd.Env = append(os.Environ(), env...)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, text)
		}
	})
}

// Cached returns the path of a file in the user's cache. The first time, write makes
// it under the path that it is given. The key holds everything that the file depends
// on: of programs the path of their source, too, which is in their debug information,
// so that two checkouts do not get each other's.
func Cached(t testing.TB, name string, key []byte, write func(out string)) string {
	t.Helper()
	sum := sha256.Sum256(key)
	path := filepath.Join(cacheDir(t), filepath.Base(name)+"-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	temporary, err := os.MkdirTemp(filepath.Dir(path), "build-") // another test may write it, too
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	made := filepath.Join(temporary, filepath.Base(path))
	write(made)
	// One that another test has made stays: it may run, and its mappings would be those of a deleted file.
	if err := os.Link(made, path); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	return path
}

// cacheDir is the folder of built programs.
func cacheDir(t testing.TB) string {
	t.Helper()
	base, err := os.UserCacheDir()
	if err != nil {
		return t.TempDir()
	}
	dir := filepath.Join(base, "triptych-debuggertest")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return t.TempDir()
	}
	return dir
}

// compile builds a program.
func compile(t testing.TB, name, out string, flags []string) {
	t.Helper()
	cmd := compiler(t, name, out, flags)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, text)
	}
}

// compiler is the command that builds a source by its language.
func compiler(t testing.TB, name, out string, flags []string) *exec.Cmd {
	t.Helper()
	tool, args := "gcc", []string{"-g", "-O0", "-Wall", "-pthread", "-fno-omit-frame-pointer", "-o", out}
	switch filepath.Ext(name) {
	case ".cc":
		tool = "g++"
	case ".go":
		tool, args = "go", []string{"build", "-o", out}
	}
	path, err := exec.LookPath(tool)
	if err != nil {
		t.Skipf("building %s needs %s", name, tool)
	}
	args = append(append(args, flags...), Source(name))
	return exec.CommandContext(t.Context(), path, args...)
}
