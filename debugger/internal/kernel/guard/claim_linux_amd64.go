package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"golang.org/x/sys/unix"
)

// claimWait limits how long Attach waits for the guard of a debugger that was
// killed.
const claimWait = 30 * time.Second

// Claim waits until no guard has still to put a process right whose debugger
// was killed: its int3 instructions would be taken for the program's own, and
// where its threads wait for where they are. The claim is a name that one socket
// at a time can have; our guard keeps it when we are killed. Without a network
// namespace in common there is no claim, and nil is returned.
func Claim(ctx context.Context, pid int) *os.File {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "claim")
	began := procfs.ThreadStat(pid, pid, procfs.StatStart)
	name := &unix.SockaddrUnix{Name: fmt.Sprintf("@triptych-guard-%d-%s", pid, began)}
	for end := time.Now().Add(claimWait); ctx.Err() == nil && time.Now().Before(end); time.Sleep(time.Millisecond) {
		if err = unix.Bind(fd, name); err == nil {
			return f
		}
		if !errors.Is(err, unix.EADDRINUSE) {
			break
		}
	}
	_ = f.Close()
	return nil
}
