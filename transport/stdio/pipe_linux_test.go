package stdio_test

import (
	"bufio"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/stdio"
)

// Pipes grow with the first long message, each in its direction, and not before.
func TestPipesGrow(t *testing.T) {
	inR, inW, outR, outW := pipes(t)
	server, err := mcp.New(mcp.Config{Name: "echo", Version: "1"}, &mcp.Table{Family: "echo", Tools: []mcp.Tool{{
		Name: "echo", Doc: "echoes text", Call: mcp.Typed(echo),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- stdio.Serve(t.Context(), inR, outW, server) }()
	answers := bufio.NewReader(outR)
	for _, tt := range []struct{ length, want int }{{100, 64 << 10}, {300 << 10, 1 << 20}} {
		text := strings.Repeat("x", tt.length)
		line := jsonrpc.AppendString([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":`), text)
		go func() { _, _ = inW.Write(append(line, "}}}\n"...)) }() // a failure shows in the answer
		answer, err := answers.ReadString('\n')
		if err != nil || !strings.Contains(answer, text) {
			t.Fatalf("a text of %d bytes gave %.100q, %v", tt.length, answer, err)
		}
		for name, f := range map[string]*os.File{"input": inR, "output": outW} {
			if got := pipeSize(t, f); got != tt.want {
				t.Errorf("after a text of %d bytes the pipe of the %s holds %d, want %d", tt.length, name, got, tt.want)
			}
		}
	}
	_ = inW.Close() // the end of the input
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func pipes(t *testing.T) (inR, inW, outR, outW *os.File) {
	t.Helper()
	files := make([]*os.File, 0, 4)
	for range 2 {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, r, w)
	}
	t.Cleanup(func() {
		for _, f := range files {
			_ = io.Closer(f).Close() // some are closed already
		}
	})
	return files[0], files[1], files[2], files[3]
}

func pipeSize(t *testing.T, f *os.File) (size int) {
	t.Helper()
	conn, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Control(func(fd uintptr) { size, err = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0) }); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return size
}
