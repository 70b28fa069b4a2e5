package debuggertest_test

import (
	"debug/elf"
	"os"
	"strconv"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
)

// Every program starts, answers, and has its marks.
func TestPrograms(t *testing.T) {
	tests := []struct {
		name, command, want string
		mark                string
	}{
		{"ticker.c", "signals", "0 0", "on_tick"},
		{"threads.c", "one", "", "tick"},
		{"forker.c", "fork", "0 42 1", "visit"},
		{"busy.go", "count", "", "visit"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := debuggertest.Start(t, test.name)
			if got := p.Ask(test.command); test.want != "" && got != test.want {
				t.Errorf("%s answered %q, want %q", test.command, got, test.want)
			}
			address, code := p.Text()
			if mark := p.Mark(test.mark); mark < address || mark >= address+uint64(len(code)) {
				t.Errorf("mark %s is at %#x, outside of the code at %#x", test.mark, mark, address)
			}
			if got := p.Status("TracerPid"); got != "0" {
				t.Errorf("TracerPid %s, want 0", got)
			}
		})
	}
}

// The address of a symbol is the file's, moved by where the program is.
func TestSymbol(t *testing.T) {
	p := debuggertest.Start(t, "threads.c")
	f, err := elf.Open(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	memory, err := os.Open("/proc/" + strconv.Itoa(p.PID) + "/mem")
	if err != nil {
		t.Skip("reading another process is not permitted: ", err)
	}
	defer func() { _ = memory.Close() }()
	address, code := p.Text()
	got := make([]byte, 64)
	if _, err := memory.ReadAt(got, int64(address)); err != nil {
		t.Fatal(err)
	}
	if string(got) != string(code[:64]) {
		t.Errorf("code at %#x is % x, want % x", address, got, code[:64])
	}
	if tick := p.Symbol("tick"); tick <= address || tick >= address+uint64(len(code)) {
		t.Errorf("tick is at %#x, outside of the code", tick)
	}
}
