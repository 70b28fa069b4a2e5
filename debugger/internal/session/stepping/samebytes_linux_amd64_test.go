package stepping_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// sameBytes has system calls that write the bytes that are there: all of a buffer, the first ones,
// in two pieces, structures of a fixed size, and none because they fail.
const sameBytes = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>
char all[64], part[64], first16[16], next16[16], failed[64];
struct stat st;
struct utsname kernel_name;
int main(void) {
	int p[2];
	char a[64];
	memset(a, 'a', sizeof a);
	memset(all, 'a', sizeof all);
	memset(part, 'a', sizeof part);
	memset(first16, 'a', sizeof first16);
	memset(next16, 'a', sizeof next16);
	memset(failed, 'a', sizeof failed);
	if (pipe(p)) return 1;
	fstat(p[0], &st);
	uname(&kernel_name);
	for (int i = 0; i < 3; i++) if (write(p[1], a, 64) != 64) return 1;
	if (read(p[0], all, 64) != 64 || read(p[0], part, 16) != 16) return 1;
	struct iovec v[2] = {{first16, 16}, {next16, 16}};
	if (readv(p[0], v, 2) != 32) return 1;
	fstat(p[0], &st);
	uname(&kernel_name);
	close(p[1]);
	while (read(p[0], a, 64) > 0);
	return read(p[0], failed, 64) != 0 || read(-1, failed, 64) != -1;
}
`

// The last write to memory is a system call that has written the bytes that were there.
func TestSameBytes(t *testing.T) {
	source := filepath.Join(t.TempDir(), "same.c")
	if err := os.WriteFile(source, []byte(sameBytes), 0o600); err != nil {
		t.Fatal(err)
	}
	s := recordtest.Main(t, debuggertest.Compile(t, source, nil, "gcc", "-O1"))
	for _, tt := range []struct {
		name   string
		offset uint64
		call   string // "" for an instruction
	}{
		{"all", 0, "read"}, {"all", 60, "read"}, {"part", 0, "read"}, {"part", 12, "read"}, {"part", 16, ""},
		{"first16", 0, "readv"}, {"next16", 12, "readv"}, {"st", 0, "fstat"}, {"kernel_name", 65, "uname"}, {"failed", 0, ""},
	} {
		addr, err := s.Inspector.Address(t.Context(), "&"+tt.name)
		if err != nil {
			t.Fatal(err)
		}
		w, ok, err := s.Target.History.Steps.LastWrite(t.Context(), addr+tt.offset, 4)
		if err != nil || !ok {
			t.Errorf("%s+%d: %v, %v", tt.name, tt.offset, ok, err)
			continue
		}
		call := s.Target.History.Steps.SystemCall(w.Position)
		if tt.call == "fstat" && call == "newfstatat" {
			call = "fstat"
		}
		if call != tt.call || (w.Kind == history.Called) != (tt.call != "") {
			t.Errorf("the last write to %s+%d is %q (%v) at %d, want %q", tt.name, tt.offset, call, w.Kind, w.Position, tt.call)
		}
	}
}
