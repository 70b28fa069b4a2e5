package replay

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// sources are the files of a recording: those that the recording has, and others where they were.
type sources struct {
	recording *recfile.Recording
	opened    map[int]*os.File
	taken     int64 // memory of files that the recording has
}

func newSources(r *recfile.Recording) *sources {
	return &sources{recording: r, opened: make(map[int]*os.File)}
}

// checkFiles returns an error that lists the files that a replay will miss.
func checkFiles(list []recfile.File) error {
	var problems []string
	for n := range list {
		if problem := list[n].SizeProblem(); problem != "" {
			problems = append(problems, problem)
		}
	}
	const most = 10
	switch n := len(problems); {
	case n == 0:
		return nil
	case n > most:
		problems = append(problems[:most], fmt.Sprintf("and %d more", n-most))
	}
	return fmt.Errorf("the recorded program had mapped files that a replay needs: %s; %s", strings.Join(problems, "; "), remedy)
}

// remedy says what helps if files have changed.
const remedy = "put them back as they were, or record again with --pack, which adds all files to the recording"

// open opens a file of the recording and checks its contents.
func (s *sources) open(n int) (*os.File, error) {
	if f := s.opened[n]; f != nil {
		return f, nil
	}
	f, err := s.openNew(n)
	if err == nil {
		s.opened[n] = f
	}
	return f, err
}

func (s *sources) openNew(n int) (*os.File, error) {
	want := &s.recording.Files[n]
	if c := s.recording.Contents(want); c != nil {
		if err := s.recording.Memory().Take(want.Size); err != nil {
			return nil, err
		}
		s.taken += want.Size
		return openContents(c, n, want)
	}
	f, err := recfile.OpenSame(want)
	if err != nil {
		return nil, fmt.Errorf("the recorded program had mapped a file: %w; %s", err, remedy)
	}
	return f, nil
}

// close closes all files.
func (s *sources) close() error {
	var err error
	for _, f := range s.opened {
		err = errors.Join(err, f.Close())
	}
	s.opened = nil
	if s.taken > 0 {
		s.recording.Memory().Give(s.taken)
		s.taken = 0
	}
	return err
}

// Files in memory have names with their numbers. The maps of a process show them with what is
// before and after the name.
const (
	memoryName = "triptych recording "
	memoryPath = "/memfd:" + memoryName
	memoryEnd  = " (deleted)"
)

// openContents returns a file in memory with contents, which are checked.
func openContents(c io.Reader, n int, want *recfile.File) (*os.File, error) {
	fd, err := unix.MemfdCreate(memoryName+strconv.Itoa(n), unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), want.Path)
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, sum), c)
	if err == nil && [recfile.DigestSize]byte(sum.Sum(nil)) != want.Digest {
		err = fmt.Errorf("%w: the contents of %s are not those of its digest", recfile.ErrCorrupt, want.Path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// pathOf returns the path of a mapped file as the recorded program had it.
func pathOf(r *recfile.Recording, path string) string {
	text, ours := strings.CutPrefix(path, memoryPath)
	n, err := strconv.Atoi(strings.TrimSuffix(text, memoryEnd))
	if !ours || err != nil || n < 0 || n >= len(r.Files) {
		return path
	}
	return r.Files[n].Path
}

// Open opens the newest file of a path that the recording has. The error for others is
// [os.ErrNotExist].
func (t *Timeline) Open(path string) (*os.File, error) {
	r := t.recording
	for n, f := range slices.Backward(r.Files) {
		if c := r.Contents(&f); c != nil && f.Path == path {
			if err := r.Memory().Take(f.Size); err != nil { // until the account is closed
				return nil, err
			}
			return openContents(c, n, &f)
		}
	}
	return nil, os.ErrNotExist
}
