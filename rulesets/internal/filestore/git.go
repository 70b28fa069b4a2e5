package filestore

import (
	"bufio"
	"context"
	"crypto/sha1" //nolint:gosec // the name that git gives to a content, no protection
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// In a git work tree, a file with the content of the newest commit that changed
// it was pulled or checked out, not edited by hand. Its revision has the author
// and the subject of that commit.

// gitClient is the client of revisions whose author comes from a commit.
const gitClient = "git"

const (
	// gitWait limits the time for running git. Files whose commits are older
	// than what it reads in that time count as edited by hand.
	gitWait = 2 * time.Second
	// gitRest is the pause before a watch runs git again while another git is
	// running, and gitTries the number of attempts: a checkout updates HEAD
	// after all files have been written.
	gitRest  = 100 * time.Millisecond
	gitTries = 50
	// maxOrigins limits the number of cached commits.
	maxOrigins = 10_000
)

// An origin is the commit that the content of a ruleset comes from.
type origin struct {
	by  ruleset.By
	sum string // see contentSum
}

// origins holds the commits that were found.
type origins struct {
	mu sync.Mutex
	of map[ruleset.Name]origin
}

// learnOrigins looks up the commits of those files whose content is not in their
// histories. It reports whether git is running, in which case the commits may be
// known later. It must be called without the lock, since git may take long.
func (s *Store) learnOrigins(ctx context.Context, names ...ruleset.Name) (busy bool) {
	if gitProgram() == "" || !inWorkTree(s.folder.dir) {
		return false
	}
	files, sums := map[string]*gitFile{}, map[ruleset.Name]string{}
	for _, name := range names {
		some, sum := s.unrecordedFiles(name)
		maps.Copy(files, some)
		sums[name] = sum
	}
	if len(files) == 0 {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, gitWait)
	defer stop()
	if err := readLog(ctx, s.folder.dir, files); err != nil {
		s.log.Debug("git does not say who wrote rulesets", "component", "filestore", "err", err)
	}
	s.origins.remember(files, sums)
	return gitIsBusy(ctx, s.folder.dir, files)
}

// remember caches the commits that were found: for each ruleset the newest one of its files,
// if all of them come from commits. sums has the results of [Store.unrecordedFiles].
func (o *origins) remember(files map[string]*gitFile, sums map[ruleset.Name]string) {
	newest := map[ruleset.Name]*gitFile{}
	for _, f := range files {
		if other := newest[f.name]; other == nil || !f.found || other.found && f.at < other.at {
			newest[f.name] = f
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil || len(o.of)+len(newest) > maxOrigins {
		o.of = map[ruleset.Name]origin{}
	}
	for name, f := range newest {
		if f.found {
			o.of[name] = origin{f.by, sums[name]}
		}
	}
}

// contentSum returns the SHA-256 of the file of a ruleset, which is sum, and of the files
// beside it.
func contentSum(sum string, files []ruleset.File) string {
	h := sha256.New()
	fmt.Fprintln(h, sum)
	for _, f := range files {
		fmt.Fprintln(h, f.SHA256, f.Path)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// authorOf returns the author of the content with that sum, which is not in the history.
func (o *origins) authorOf(name ruleset.Name, sum string) ruleset.By {
	o.mu.Lock()
	defer o.mu.Unlock()
	if found, known := o.of[name]; known && found.sum == sum {
		return found.by
	}
	return ruleset.By{Author: ruleset.ByHand}
}

// A gitFile is a file whose commit is to be found.
type gitFile struct {
	name  ruleset.Name
	ids   []string // possible names of the content in git
	at    int      // the place in the log of the commit that has it
	seen  bool     // a commit that changed it has been read
	found bool
	by    ruleset.By
}

// unrecordedFiles returns the files, by their paths, in which a ruleset differs from its
// newest revision, and the sum of all of its content.
func (s *Store) unrecordedFiles(name ruleset.Name) (files map[string]*gitFile, sum string) {
	d, err := s.load(name)
	if err != nil {
		return nil, ""
	}
	head, err := s.history.head(name)
	d.ruleset.Extra = d.extra()
	if err != nil || head.Rev == 0 {
		return nil, "" // content before the first revision has no author
	}
	present := s.present(name, &head)
	files = map[string]*gitFile{}
	if !head.is(d.ruleset) {
		path := s.folder.mainPath(name, d.ruleset.Folder)
		data, err := readFile(path, 0)
		if err != nil {
			return nil, ""
		}
		files[s.folder.gitPath(path)] = &gitFile{name: name, ids: blobIDs(data)}
	}
	for _, f := range present {
		if slices.Contains(head.Files, f) {
			continue
		}
		data, err := s.ReadFile(context.Background(), name, f.Path)
		if err != nil {
			return nil, ""
		}
		files[name.Slug()+"/"+f.Path] = &gitFile{name: name, ids: blobIDs(data)}
	}
	for _, f := range head.Files {
		if !slices.ContainsFunc(present, func(other ruleset.File) bool { return other.Path == f.Path }) {
			files[name.Slug()+"/"+f.Path] = &gitFile{name: name, ids: noBlob}
		}
	}
	return files, contentSum(d.sum, present)
}

// gitPath returns the path of a file relative to the folder of the store, as git writes it.
func (f folder) gitPath(path string) string {
	rel, err := filepath.Rel(f.dir, path)
	if err != nil {
		return filepath.Base(path) // both are below the same folder
	}
	return filepath.ToSlash(rel)
}

// noBlob has the names that git gives to the content of a file that a commit has removed.
var noBlob = []string{strings.Repeat("0", 2*sha1.Size), strings.Repeat("0", 2*sha256.Size)}

// blobIDs returns the names that git may give to the content of a file.
func blobIDs(data []byte) (ids []string) {
	for _, text := range [][]byte{data, []byte(strings.ReplaceAll(string(data), "\r\n", "\n"))} { // as git may have it
		ids = append(ids, blobID(sha1.New(), text), blobID(sha256.New(), text)) //nolint:gosec // see above
	}
	return ids
}

// blobID returns the name of a content in a repository with a hash function.
func blobID(h hash.Hash, data []byte) string {
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// gitProgram returns the path of git, or "".
var gitProgram = sync.OnceValue(func() string {
	path, err := exec.LookPath("git")
	if err != nil {
		return ""
	}
	return path
})

// inWorkTree reports whether a folder is in a git work tree. It does not run git.
func inWorkTree(dir string) bool {
	for at := absolute(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// gitLog holds the arguments with which git lists commits and the contents that
// they gave to files.
var gitLog = []string{
	"log", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-notes", "--no-color", "--no-abbrev", "--raw", "--relative",
	"--format=%x01%an <%ae>%x02%s", "HEAD", "--",
}

// gitCommand returns a command that runs git for reading. The folder may be
// untrusted, so settings that name programs are overridden.
func gitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	all := []string{"--no-pager", "--literal-pathspecs", "-c", "log.showSignature=false", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"}
	cmd := exec.CommandContext(ctx, gitProgram(), append(all, args...)...)
	cmd.Dir, cmd.Env = dir, gitEnv()
	return cmd
}

// gitIsBusy reports whether git is changing the work tree: the index is locked,
// or a file whose content is not that of a commit has the content of the index,
// which git has written before it updates HEAD.
func gitIsBusy(ctx context.Context, dir string, files map[string]*gitFile) bool {
	var args []string
	for file, f := range files {
		if !f.found {
			args = append(args, file)
		}
	}
	if len(args) == 0 {
		return false
	}
	out, err := gitCommand(ctx, dir, "rev-parse", "--git-path", "index.lock").Output()
	lock := strings.TrimSpace(string(out))
	if err == nil && !filepath.IsAbs(lock) {
		lock = filepath.Join(dir, lock)
	}
	if _, statErr := os.Lstat(lock); err == nil && statErr == nil {
		return true
	}
	out, err = gitCommand(ctx, dir, append([]string{"ls-files", "--stage", "--"}, args...)...).Output()
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(out)) { // MODE ID STAGE\tFILE
		entry, file, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		fields := strings.Fields(entry)
		if f := files[file]; f != nil && len(fields) == 3 && slices.Contains(f.ids, fields[1]) {
			return true
		}
	}
	return false
}

// readLog reads the commits of HEAD that changed the files, newest first, until
// it has found the newest one of each file.
func readLog(ctx context.Context, dir string, files map[string]*gitFile) error {
	ctx, stop := context.WithCancel(ctx)
	args := append([]string{}, gitLog...)
	for file := range files {
		args = append(args, file)
	}
	cmd := gitCommand(ctx, dir, args...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		stop()
		return err
	}
	done := matchLog(out, files)
	stop() // the rest of the log is not needed
	if err := cmd.Wait(); !done {
		return err
	}
	return nil
}

// gitEnv returns the environment without variables that locate a repository.
func gitEnv() []string {
	env := []string{"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}
	for _, word := range os.Environ() {
		if !strings.HasPrefix(word, "GIT_") && !strings.HasPrefix(word, "LC_ALL=") {
			env = append(env, word)
		}
	}
	return env
}

// matchLog reads a log and records the newest commit of each file that has the
// content of that commit. It reports whether all files were in the log.
func matchLog(log io.Reader, files map[string]*gitFile) (done bool) {
	var by ruleset.By
	unseen, commits := len(files), 0
	for lines := bufio.NewScanner(log); unseen > 0 && lines.Scan(); {
		line := lines.Text()
		if commit, ok := strings.CutPrefix(line, "\x01"); ok {
			author, subject, _ := strings.Cut(commit, "\x02")
			by = ruleset.By{Author: printable(author), Client: gitClient, Message: printable(subject)}
			commits++
			continue
		}
		entry, path, _ := strings.Cut(line, "\t")
		f, fields := files[path], strings.Fields(entry) // :MODE MODE ID ID STATUS
		if f == nil || f.seen || len(fields) < 5 {
			continue
		}
		f.seen = true
		unseen--
		f.found, f.by, f.at = slices.Contains(f.ids, fields[3]), by, commits
	}
	return unseen == 0
}

// printable returns a text without control characters.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
