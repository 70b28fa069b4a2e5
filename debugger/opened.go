package debugger

import (
	"fmt"
	"io"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/core"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
	"github.com/triptych-mcp/triptych/mcp"
)

// opened is the answer of open_core and open_trace.
type opened struct {
	State      state    `json:"state"`
	File       string   `json:"file" doc:"The whole path of the core file or trace"`
	Executable string   `json:"executable,omitempty" doc:"The program"`
	Command    string   `json:"command,omitempty" doc:"How it was started, at most 80 bytes"`
	Threads    int      `json:"threads" doc:"How many threads there are"`
	Missing    []string `json:"missing,omitempty" doc:"What is not there, and why"`

	name string
	note string
}

func (o opened) AuditPID() int { return o.State.PID }

// newOpened describes a file. It looks at the scene, so it is called before
// others may.
func newOpened(d *debuggee, files *core.Mapped) opened {
	o := opened{File: d.file, Executable: d.executable(), name: d.name()}
	threads, _ := d.scene.Threads() // files know theirs
	o.Threads = len(threads)
	maps, _ := d.scene.Maps() // likewise
	o.Missing = lacking(maps, files)
	return o
}

// begin begins a session with a file.
func (t *controlGroup) begin(call *mcp.Call, d debuggee, answer opened) (opened, error) {
	s, err := t.sessions.add(call.StateKey(), d)
	if err != nil {
		return opened{}, err
	}
	answer.State = s.tell()
	return answer, nil
}

// maxMissing is how many files an answer says are missing.
const maxMissing = 10

// lacking are the files with code that cannot be used.
func lacking(maps proc.Maps, files *core.Mapped) (missing []string) {
	told := map[string]bool{}
	for _, m := range maps {
		if !m.Execute || !strings.HasPrefix(m.Path, "/") || told[m.Path] || len(missing) == maxMissing {
			continue
		}
		told[m.Path] = true
		if _, err := files.Open(m.Path); err != nil {
			missing = append(missing, fmt.Sprintf("code and symbols: %v", err))
		}
	}
	return missing
}

// Text says what was opened, where it stands, and what is missing.
func (o opened) Text() string {
	var b strings.Builder
	b.WriteString("Opened " + plain(o.name))
	if o.Executable != "" {
		b.WriteString(" of " + plain(o.Executable))
	}
	fmt.Fprintf(&b, ", process %d with %s", o.State.PID, count(o.Threads, "thread"))
	b.WriteString(o.note + "\n" + lined{State: o.State}.Text())
	for _, each := range o.Missing {
		b.WriteString("\nMissing: " + plain(each))
	}
	return b.String()
}

// mappedOpener opens the files of a process for its symbols.
func mappedOpener(files *core.Mapped) func(symbols.Mapping) (symbols.File, error) {
	return func(m symbols.Mapping) (symbols.File, error) {
		r, err := files.Open(m.Path)
		if err != nil {
			return nil, err
		}
		return keptFile{r}, nil
	}
}

// A keptFile belongs to somebody else, who closes it.
type keptFile struct{ io.ReaderAt }

// Close leaves it open.
func (keptFile) Close() error { return nil }
