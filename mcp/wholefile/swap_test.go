package wholefile_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/wholefile"
)

// swapper is a file that is swapped, and what may be asked of it.
type swapper struct {
	t          testing.TB
	dir        string
	path       string
	spare      string
	lastNumber int
}

func newSwapper(t testing.TB, dir string) *swapper {
	return &swapper{t: t, dir: dir, path: filepath.Join(dir, "file"), spare: filepath.Join(dir, ".spare")}
}

// text is one that tells when a part of it is missing or another's. Each has
// another length, some more than a page.
func text(number int) []byte {
	line := fmt.Sprintln(number)
	return []byte(strings.Repeat(line, 1+number*97%1500) + "end\n")
}

// number is that of a whole text, -1 for what is none.
func number(data []byte) int {
	first, _, _ := strings.Cut(string(data), "\n")
	n, err := strconv.Atoi(first)
	if err != nil || string(text(n)) != string(data) {
		return -1
	}
	return n
}

// swap swaps in the next text.
func (s *swapper) swap() {
	s.t.Helper()
	s.lastNumber++
	if err := wholefile.Swap(s.path, s.spare, text(s.lastNumber), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if got := s.number(); got != s.lastNumber {
		s.t.Fatalf("the file has text %d, want %d", got, s.lastNumber)
	}
}

func (s *swapper) number() int {
	s.t.Helper()
	data, err := os.ReadFile(s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	return number(data)
}

func TestSwap(t *testing.T) {
	s := newSwapper(t, t.TempDir())
	for range 50 {
		s.swap()
	}
	left, err := os.ReadDir(s.dir)
	if err != nil || len(left) > 2 {
		t.Errorf("left are %v, %v; want the file and its spare", left, err)
	}
}

// Files of one folder share a spare.
func TestSwapOfSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	var files []*swapper
	for i := range 3 {
		s := newSwapper(t, dir)
		s.path += strconv.Itoa(i)
		s.lastNumber = 100 * i
		files = append(files, s)
	}
	for i := range 50 {
		files[i*i%3].swap()
		for _, s := range files {
			if _, err := os.Stat(s.path); err == nil && s.number() != s.lastNumber {
				t.Fatalf("%s has text %d, want %d", s.path, s.number(), s.lastNumber)
			}
		}
	}
}

// Who has a text keeps it whole, however it was come by and however many others
// took its place.
func TestSwapLeavesOldTextsAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that are open are not replaced here")
	}
	for name, have := range map[string]func(t *testing.T, s *swapper) func() ([]byte, error){
		"an open file": func(t *testing.T, s *swapper) func() ([]byte, error) {
			f, err := os.Open(s.path)
			if err != nil {
				t.Fatal(err)
			}
			return func() ([]byte, error) {
				data, err := io.ReadAll(f)
				return data, errors.Join(err, f.Close())
			}
		},
		"another name": func(t *testing.T, s *swapper) func() ([]byte, error) {
			backup := filepath.Join(t.TempDir(), "backup")
			if err := os.Link(s.path, backup); err != nil {
				t.Skip(err)
			}
			return func() ([]byte, error) { return os.ReadFile(backup) }
		},
		"mapped memory": mapped,
	} {
		t.Run(name, func(t *testing.T) {
			s := newSwapper(t, t.TempDir())
			for range 10 {
				s.swap()
				s.swap()
				before := s.lastNumber
				read := have(t, s)
				s.swap()
				s.swap()
				s.swap()
				if data, err := read(); err != nil || number(data) != before {
					t.Fatalf("text %d became %.20q, %v", before, data, err)
				}
			}
		})
	}
}

// Readers find one text or another, whole, while the file is swapped.
func TestReadersOfSwapsFindWholeTexts(t *testing.T) {
	s := newSwapper(t, t.TempDir())
	s.swap()
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for reading := true; reading; {
				select {
				case <-done:
					reading = false
				default:
				}
				_, _ = os.ReadFile(s.spare) // as a backup does; it may be gone
				data, err := os.ReadFile(s.path)
				if runtime.GOOS != "windows" && (err != nil || number(data) < 0) {
					t.Errorf("read %.20q, %v", data, err)
					return
				}
			}
		})
	}
	for range 60 {
		s.lastNumber++
		if err := wholefile.Swap(s.path, s.spare, text(s.lastNumber), 0o600); err != nil && runtime.GOOS != "windows" { // it may be open there
			t.Error(err)
		}
	}
	close(done)
	readers.Wait()
}

// What has the spare's name by mistake or after a crash is in nobody's way, and
// nothing is written through it.
func TestSwapWithAnotherSpare(t *testing.T) {
	for name, prepare := range map[string]func(s *swapper) error{
		"the file itself": func(s *swapper) error { return os.Link(s.path, s.spare) },
		"a link":          func(s *swapper) error { return os.Symlink(filepath.Join(s.dir, "other"), s.spare) },
		"a link to the file": func(s *swapper) error {
			return os.Symlink(s.path, s.spare)
		},
		"a folder": func(s *swapper) error { return os.MkdirAll(filepath.Join(s.spare, "full"), 0o700) },
		"other permissions": func(s *swapper) error {
			return errors.Join(os.WriteFile(s.spare, nil, 0o644), os.Chmod(s.spare, 0o644))
		},
		"half a text": func(s *swapper) error { return os.WriteFile(s.spare, []byte("half"), 0o600) },
		"a pipe":      pipe,
	} {
		t.Run(name, func(t *testing.T) {
			s := newSwapper(t, t.TempDir())
			other := filepath.Join(s.dir, "other")
			if err := os.WriteFile(other, []byte("other"), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				s.swap()
				if err := os.RemoveAll(s.spare); err != nil {
					t.Fatal(err)
				}
				if err := prepare(s); err != nil {
					t.Skip(err)
				}
				s.swap()
				s.swap()
				info, err := os.Lstat(s.path)
				if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
					t.Fatalf("the file is %v, %v", info, err)
				}
				if data, err := os.ReadFile(other); string(data) != "other" {
					t.Fatalf("another file is %q, %v", data, err)
				}
			}
		})
	}
}

// A file that somebody has removed or replaced is written all the same.
func TestSwapOfAFileThatChanges(t *testing.T) {
	s := newSwapper(t, t.TempDir())
	for range 5 {
		s.swap()
		s.swap()
		if err := os.Remove(s.path); err != nil {
			t.Fatal(err)
		}
		s.swap()
		if err := os.WriteFile(s.path, []byte("from an editor"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.swap()
	}
}

func TestSwapKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have the permissions of their folder here")
	}
	s := newSwapper(t, t.TempDir())
	s.swap()
	s.swap()
	for _, want := range []fs.FileMode{0o640, 0o600, 0o640, 0o644} {
		if err := os.Chmod(s.path, want); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			s.swap()
			if info, err := os.Stat(s.path); err != nil || info.Mode().Perm() != want {
				t.Fatalf("got %v, %v; want %v", info.Mode(), err, want)
			}
		}
	}
}

// TestMain lets the test binary be a process that swaps until it is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("WHOLEFILE_TEST_SWAP_IN"); dir != "" {
		swapForEver(dir)
	}
	os.Exit(m.Run())
}

// swapForEver prints the number of each text that was promised to be kept.
func swapForEver(dir string) {
	data, err := os.ReadFile(filepath.Join(dir, "file"))
	for n := number(data) + 1; err == nil; n++ {
		err = wholefile.Swap(filepath.Join(dir, "file"), filepath.Join(dir, ".spare"), text(n), 0o600)
		fmt.Println(n)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// A process that is killed leaves the last text it told of or the one that it was
// about to write, and the next one goes on from there.
func TestKilledSwapLeavesAWholeFile(t *testing.T) {
	s := newSwapper(t, t.TempDir())
	s.swap()
	for round := range 25 {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), "WHOLEFILE_TEST_SWAP_IN="+s.dir)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		told := -1
		for lines, n := bufio.NewScanner(out), 0; lines.Scan(); n++ {
			if told, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(err)
			}
			if n == round {
				_ = child.Process.Kill() // in the middle of the next text, or of one soon after
			}
		}
		_ = child.Wait() // killed
		if got := s.number(); got != told && got != told+1 {
			t.Fatalf("round %d: the file has text %d after %d was promised", round, got, told)
		}
	}
}
