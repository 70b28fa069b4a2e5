package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// languages are the languages that fixes are taken from, by the ends of names.
var languages = map[string]string{
	".c": "C", ".h": "C", ".go": "Go", ".rs": "Rust", ".py": "Python", ".js": "JavaScript", ".mjs": "JavaScript", ".ts": "JavaScript",
	".cc": "C++", ".cpp": "C++", ".hpp": "C++", ".java": "Java",
}

// aside are parts of paths that lead to tests and bundled code.
var aside = []string{"test", "vendor", "third_party", "third-party", "deps/", "node_modules", "example", "bench", "fuzz", "generated", ".pb.go", ".min.js", "docs/"}

// isSource reports whether a path is one of the project's own source files.
func isSource(name string) bool {
	if languages[path.Ext(name)] == "" {
		return false
	}
	lower := strings.ToLower(name)
	for _, part := range aside {
		if strings.Contains(lower, part) {
			return false
		}
	}
	return true
}

// A clone is a bare clone of a project.
type clone struct{ dir, project string }

// openClone finds the clone of a project in a folder, or takes the folder itself.
func openClone(dir string) clone {
	if _, err := os.Stat(filepath.Join(dir, "repo")); err == nil {
		return clone{filepath.Join(dir, "repo"), filepath.Base(dir)}
	}
	return clone{dir, filepath.Base(dir)}
}

// git runs git and returns what it prints.
func (c clone) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir", c.dir}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s in %s: %w", args[0], c.dir, err)
	}
	return string(out), nil
}

// A checkout is a folder with the source files of one commit at a time.
type checkout struct {
	clone clone
	dir   string
	blobs map[string]string // by path
	batch *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
}

func newCheckout(ctx context.Context, c clone) (*checkout, error) {
	dir, err := os.MkdirTemp("", "bugbench")
	if err != nil {
		return nil, err
	}
	co := &checkout{clone: c, dir: dir, blobs: map[string]string{}}
	co.batch = exec.CommandContext(ctx, "git", "--git-dir", c.dir, "cat-file", "--batch")
	if co.in, err = co.batch.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := co.batch.StdoutPipe()
	if err != nil {
		return nil, err
	}
	co.out = bufio.NewReader(out)
	return co, co.batch.Start()
}

// close removes the folder.
func (co *checkout) close() {
	_ = co.in.Close() // ends the process
	_ = co.batch.Wait()
	_ = os.RemoveAll(co.dir)
}

// move changes the folder to a commit. Files that stay the same are not touched.
func (co *checkout) move(ctx context.Context, commit string) error {
	list, err := co.clone.git(ctx, "ls-tree", "-r", "-z", commit)
	if err != nil {
		return err
	}
	next := map[string]string{}
	for row := range strings.SplitSeq(list, "\x00") {
		head, name, ok := strings.Cut(row, "\t")
		if fields := strings.Fields(head); ok && len(fields) == 3 && fields[1] == "blob" && languages[path.Ext(name)] != "" {
			next[name] = fields[2]
		}
	}
	for name := range co.blobs {
		if next[name] == "" {
			_ = os.Remove(filepath.Join(co.dir, filepath.FromSlash(name))) // it is there
		}
	}
	for name, blob := range next {
		if co.blobs[name] == blob {
			continue
		}
		if err := co.write(name, blob); err != nil {
			return err
		}
	}
	co.blobs = next
	return nil
}

// write writes one file; one that the clone lacks is left out.
func (co *checkout) write(name, blob string) error {
	if _, err := fmt.Fprintln(co.in, blob); err != nil {
		return err
	}
	head, err := co.out.ReadString('\n')
	if err != nil {
		return err
	}
	fields := strings.Fields(head)
	if len(fields) != 3 {
		return nil
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return err
	}
	text := make([]byte, size+1) // with the line end behind it
	if _, err := io.ReadFull(co.out, text); err != nil {
		return err
	}
	full := filepath.Join(co.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	return os.WriteFile(full, text[:size], 0o644)
}
