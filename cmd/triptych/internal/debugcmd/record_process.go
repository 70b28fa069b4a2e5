package debugcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/debugger"
)

// recordProcess records a process that runs, until it ends, the time is over, or this
// program is interrupted.
func (a commands) recordProcess(ctx context.Context, f *recordFlags) error {
	name := f.output
	if name == "" {
		name = fmt.Sprintf("%d.recording", f.attach)
	}
	file, err := createOutput(name, f.limits)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if f.seconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(f.seconds*float64(time.Second)))
		defer cancel()
	}
	run, err := debugger.RecordProcess(ctx, f.attach, file.recording())
	if err = errors.Join(err, file.recording().Close()); err != nil {
		return errors.Join(err, file.remove())
	}
	failed := !run.Running && run.Status != 0
	if f.onCrash && !failed {
		return errors.Join(run.Err, file.remove())
	}
	if f.pack {
		report(a.IO, a.pack(file.Name()))
	}
	reportProcess(a.IO, &run, file)
	return run.Err
}

// reportProcess says on standard error what was recorded.
func reportProcess(out *cmdio.IO, run *debugger.RecordedRun, file *outputFile) {
	switch {
	case run.Killed != 0:
		fmt.Fprintf(out.Err, "triptych: the process was killed by signal %d (%v)\n", run.Killed, syscall.Signal(run.Killed))
	case !run.Running:
		fmt.Fprintf(out.Err, "triptych: the process has ended with status %d\n", run.Status)
	default:
		fmt.Fprintf(out.Err, "triptych: the process runs on: %s%s\n", run.Cut, file.hint())
	}
	fmt.Fprintf(out.Err, "triptych: recorded %s; see them by: triptych replay %s\n", file.extent(run), file.Name())
}
