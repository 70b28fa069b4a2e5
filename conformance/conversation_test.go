package conformance

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

var (
	update  = flag.Bool("update", false, "rewrite the answers of the conversations")
	command = flag.String("cmd", "", "ask this server instead of ours")
)

// patience is how long an answer may take.
const patience = 10 * time.Second

func TestConversations(t *testing.T) {
	program := build(t)
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".txtar") {
			t.Run(strings.TrimSuffix(path, ".txtar"), func(t *testing.T) { replay(t, program, path) })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// build makes the program once, or takes the one of -cmd.
func build(t *testing.T) []string {
	t.Helper()
	if *command != "" {
		return strings.Fields(*command)
	}
	program := filepath.Join(t.TempDir(), "triptych")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/triptych").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return []string{program, "stdio"}
}

func replay(t *testing.T, program []string, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	args := append([]string(nil), program[1:]...)
	var wire *txtar.File
	for i := range archive.Files {
		switch f := &archive.Files[i]; f.Name {
		case "wire":
			wire = f
		case "flags":
			args = append(args, strings.Fields(string(f.Data))...)
		default:
			lay(t, filepath.Join(data, f.Name), f.Data)
		}
	}
	if wire == nil {
		t.Fatal("there is no section wire")
	}
	s := begin(t, program[0], args, data)
	spoken := converse(t, s, strings.Split(strings.TrimSuffix(string(wire.Data), "\n"), "\n"))
	s.end()
	if *update {
		wire.Data = []byte(strings.Join(spoken, "\n") + "\n")
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func lay(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A server is a child process and the two ends of its pipes.
type server struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
}

func begin(t *testing.T, program string, args []string, data string) *server {
	t.Helper()
	s := &server{t: t, cmd: exec.Command(program, args...), lines: make(chan string, 1000)}
	s.cmd.Env = append(os.Environ(), "TRIPTYCH_DATA="+data, "LOG_LEVEL=error", "VALKEY_HOST=", "VALKEY_PORT=")
	s.cmd.Stderr = os.Stderr
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() }) // it has ended unless the test failed
	go func() {
		defer close(s.lines)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 16<<20)
		for scanner.Scan() {
			s.lines <- scanner.Text()
		}
	}()
	return s
}

func (s *server) send(line string) {
	s.t.Helper()
	if _, err := fmt.Fprintln(s.in, line); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) hear() string {
	s.t.Helper()
	select {
	case line, ok := <-s.lines:
		if !ok {
			s.t.Fatal("the server ended")
		}
		return line
	case <-time.After(patience):
		s.t.Fatalf("no answer within %v", patience)
	}
	return ""
}

// end closes the input: the server must end by itself, with nothing more to say.
func (s *server) end() {
	s.t.Helper()
	if err := s.in.Close(); err != nil {
		s.t.Error(err)
	}
	for line := range s.lines {
		s.t.Errorf("it also said %s", line)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("it ended with %v", err)
	}
}

// converse goes through the lines and returns them with the answers that came.
func converse(t *testing.T, s *server, lines []string) []string {
	t.Helper()
	spoken := make([]string, 0, len(lines))
	for n, line := range lines {
		switch {
		case strings.HasPrefix(line, "> "):
			s.send(line[2:])
		case strings.HasPrefix(line, "<~ "):
			if got := s.hear(); !regexp.MustCompile("^" + line[3:] + "$").MatchString(got) {
				t.Errorf("wire line %d:\n got %s\nwant %s", n+1, got, line[3:])
			}
		case strings.HasPrefix(line, "< "):
			got := s.hear()
			if got != line[2:] && !*update {
				t.Errorf("wire line %d:\n got %s\nwant %s", n+1, got, line[2:])
			}
			line = "< " + got
		case line != "" && !strings.HasPrefix(line, "#"):
			t.Fatalf("wire line %d is none of >, <, <~ and #", n+1)
		}
		spoken = append(spoken, line)
	}
	return spoken
}
