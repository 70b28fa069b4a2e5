// Package gitsource reads files of git repositories that may be hostile.
//
// A repository is cloned bare and shallow with the installed git, into a temporary
// folder, and its files are read as objects: nothing is checked out, so that no hook, no
// filter, no submodule and no link of it takes effect. [Open] bounds time and size.
package gitsource

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The bounds of a repository.
const (
	maxTime      = 2 * time.Minute
	maxDownload  = 256 << 20 // bytes of the clone
	maxFile      = 1 << 20   // bytes of one file
	maxFiles     = 20_000    // below the path
	maxText      = 64 << 20  // bytes of all files
	checkClone   = 200 * time.Millisecond
	messageBytes = 500
)

// A Source names files of a repository.
type Source struct {
	URL  string
	Path string // a file or folder in it, with /; "" for all
}

// Parse reads URL#PATH. ok is false for what is no URL of a repository, such as the path
// of a folder. local permits file URLs.
func Parse(text string, local bool) (s Source, ok bool, err error) {
	address, place, _ := strings.Cut(text, "#")
	s = Source{URL: address, Path: strings.Trim(place, "/")}
	scheme, rest, isURL := strings.Cut(address, "://")
	if !isURL {
		if transport, _, ok := strings.Cut(address, "::"); ok && !strings.ContainsAny(transport, `/\.`) {
			return s, true, fmt.Errorf("the transport %s:: is not used: it runs programs", transport)
		}
		return s, false, nil
	}
	if s.Path != "" && !fs.ValidPath(s.Path) {
		return s, true, fmt.Errorf("%q is no path in a repository", s.Path)
	}
	switch scheme {
	case "https", "ssh":
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" || strings.HasPrefix(u.Hostname(), "-") {
			return s, true, fmt.Errorf("%s is no URL of a repository", scheme)
		}
		if _, secret := u.User.Password(); secret {
			return s, true, errors.New("the URL has a password, which the history would show; let git's credential helper have it")
		}
	case "file":
		if !local {
			return s, true, errors.New("a file URL needs --allow-file")
		}
		if rest == "" {
			return s, true, errors.New("the file URL has no path")
		}
	default:
		return s, true, fmt.Errorf("repositories are read over https and ssh, not over %s", scheme)
	}
	return s, true, nil
}

// A Tree is a checkout of some files of a repository.
type Tree struct {
	Dir    string // with the files, at their paths
	Commit string
	// Left are the entries that were not read, with the reasons.
	Left  map[string]string
	Files int // the number of files that were read

	objects map[string]string // ids of files and folders, by path
}

// Object returns the id of the content of a file, or of a folder and all below it; "" if
// there is none.
func (t *Tree) Object(path string) string { return t.objects[path] }

// Close removes the files.
func (t *Tree) Close() error { return os.RemoveAll(t.Dir) }

// Open reads files of the repository at a URL, at its default branch: those at and below
// paths, "" being all of them. A path without a file is no error.
func Open(ctx context.Context, from string, paths []string, local bool) (tree *Tree, err error) {
	ctx, stop := context.WithTimeout(ctx, maxTime)
	defer stop()
	temp, err := os.MkdirTemp("", "triptych-git-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	g := &git{dir: filepath.Join(temp, "repository"), local: local}
	if err := g.clone(ctx, from); err != nil {
		return nil, err
	}
	t := &Tree{Left: map[string]string{}, objects: map[string]string{}}
	commit, err := g.run(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return nil, err
	}
	t.Commit = strings.TrimSpace(string(commit))
	files, err := g.list(ctx, t, paths)
	if err != nil {
		return nil, err
	}
	t.Files = len(files)
	if t.Dir, err = os.MkdirTemp("", "triptych-import-"); err != nil {
		return nil, err
	}
	if err := g.write(ctx, t, files); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// git runs the installed git on one repository.
type git struct {
	dir   string
	local bool
}

// settings keep everything off that a repository, its server or the user's configuration
// could make git run.
var settings = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.symlinks=false", "submodule.recurse=false", "fetch.recurseSubmodules=false",
	"transfer.fsckObjects=true", "transfer.bundleURI=false", "gc.auto=0", "maintenance.auto=false", "protocol.ext.allow=never", "uploadpack.packObjectsHook=",
}

func (g *git) command(ctx context.Context, args ...string) *exec.Cmd {
	var all []string
	for _, s := range settings {
		all = append(all, "-c", s)
	}
	cmd := exec.CommandContext(ctx, "git", append(all, args...)...)
	protocols := "https:ssh"
	if g.local {
		protocols += ":file"
	}
	cmd.Env = append(os.Environ(), "GIT_ALLOW_PROTOCOL="+protocols, "GIT_TERMINAL_PROMPT=0", "GIT_LFS_SKIP_SMUDGE=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_OPTIONAL_LOCKS=0", "LC_ALL=C", "GIT_SSH_COMMAND="+sshCommand())
	cmd.WaitDelay = time.Second
	return cmd
}

// sshCommand is ssh without questions to a terminal.
func sshCommand() string {
	if own := os.Getenv("GIT_SSH_COMMAND"); own != "" {
		return own
	}
	return "ssh -o BatchMode=yes"
}

// run returns the output of git in the repository.
func (g *git) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := g.command(ctx, append([]string{"--git-dir", g.dir}, args...)...)
	return output(cmd)
}

// output runs git; an error has what git said.
func output(cmd *exec.Cmd) ([]byte, error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, errors.New("git is not installed")
	}
	if err != nil {
		text := strings.ToValidUTF8(strings.Join(strings.Fields(said.String()), " "), "?")
		return nil, fmt.Errorf("git: %w: %.*s", err, messageBytes, text)
	}
	return out, nil
}

// clone downloads the newest commit of the default branch, up to maxDownload.
func (g *git) clone(ctx context.Context, from string) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ended := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		g.watchSize(ctx, ended, stop)
	}()
	_, err := output(g.command(ctx, "clone", "--quiet", "--bare", "--depth=1", "--single-branch", "--no-tags", "--no-recurse-submodules", "--template=", "--", from, g.dir))
	close(ended)
	<-watched
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return fmt.Errorf("cloning %s: %w", from, cause)
	}
	return err
}

// errTooLarge stops a clone.
var errTooLarge = fmt.Errorf("the repository has more than %d MiB", maxDownload>>20)

// watchSize stops a clone that becomes too large.
func (g *git) watchSize(ctx context.Context, ended <-chan struct{}, stop context.CancelCauseFunc) {
	tick := time.NewTicker(checkClone)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if sizeBelow(g.dir) > maxDownload {
			stop(errTooLarge)
			return
		}
	}
}

func sizeBelow(dir string) (size int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it is being written
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}

// An entry is a file of the tree.
type entry struct{ path, object string }

// list returns the files at and below paths that are to be read.
func (g *git) list(ctx context.Context, t *Tree, paths []string) ([]entry, error) {
	args := []string{"ls-tree", "-r", "-t", "-l", "-z", "--full-tree", "HEAD", "--"}
	if !slices.Contains(paths, "") {
		for _, p := range paths {
			args = append(args, ":(literal)"+p)
		}
	}
	out, err := g.run(ctx, args...)
	if err != nil {
		return nil, err
	}
	var files []entry
	total := int64(0)
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		facts, name, ok := strings.Cut(line, "\t")
		words := strings.Fields(facts) // mode, kind, id, size
		if !ok || len(words) != 4 {
			continue
		}
		t.objects[name] = words[2]
		size, _ := strconv.ParseInt(words[3], 10, 64) // of a folder it is -
		switch reason := left(words[0], words[1], name, size); {
		case words[1] == "tree":
		case reason != "":
			t.Left[name] = reason
		default:
			files, total = append(files, entry{name, words[2]}), total+size
		}
		if len(files) > maxFiles || total > maxText {
			return nil, fmt.Errorf("more than %d files or %d MiB: name a folder with #PATH", maxFiles, maxText>>20)
		}
	}
	return files, nil
}

// left returns why an entry is not read, "" if it is.
func left(mode, kind, name string, size int64) string {
	switch {
	case mode == "120000":
		return "a link"
	case kind == "commit":
		return "a submodule"
	case size > maxFile:
		return fmt.Sprintf("has more than %d KiB", maxFile>>10)
	case kind == "blob" && !isSafe(name):
		return "has no name that every system takes"
	}
	return ""
}

// isSafe reports whether a path stays below the folder that it is written to, on every
// system.
func isSafe(name string) bool {
	if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\:\x00\n\r") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, ".git") || strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") {
			return false
		}
	}
	return true
}

// write reads the contents of files and writes them into the folder of the tree.
func (g *git) write(ctx context.Context, t *Tree, files []entry) (err error) {
	var asked strings.Builder
	for _, f := range files {
		asked.WriteString(f.object + "\n")
	}
	cmd := g.command(ctx, "--git-dir", g.dir, "cat-file", "--batch")
	cmd.Stdin = strings.NewReader(asked.String())
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return errors.Join(err, cmd.Cancel(), cmd.Wait())
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	in := bufio.NewReader(pipe)
	for _, f := range files {
		if err = copyObject(root, f, in); err != nil {
			_ = cmd.Cancel() // it waits for a reader
			break
		}
	}
	return errors.Join(err, cmd.Wait())
}

// copyObject writes one file: a line with id, kind and size, the content, and a line end.
func copyObject(root *os.Root, f entry, in *bufio.Reader) error {
	head, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	words := strings.Fields(head)
	if len(words) != 3 || words[0] != f.object || words[1] != "blob" {
		return fmt.Errorf("git has no content of %s", f.path)
	}
	size, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil || size > maxFile {
		return fmt.Errorf("the size of %s is %s", f.path, words[2])
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(in, data); err != nil {
		return err
	}
	if _, err := in.Discard(1); err != nil {
		return err
	}
	name := filepath.FromSlash(f.path)
	if dir := path.Dir(f.path); dir != "." {
		if err := root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
			return err
		}
	}
	return root.WriteFile(name, data, 0o644)
}
