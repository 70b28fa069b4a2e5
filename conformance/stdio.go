package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// maxLine limits the size of a message in bytes; real clients use smaller limits.
const maxLine = 16 << 20

// A pipe is a transport over the standard input and output of a child process.
type pipe struct {
	*mcptest.Pipe

	cmd *exec.Cmd
}

// openPipe starts the program and kills it when ctx is done. The program shares our
// standard error.
func openPipe(ctx context.Context, program, env []string, patience time.Duration) (*pipe, error) {
	cmd := exec.CommandContext(ctx, program[0], program[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	kill := func() { _ = cmd.Process.Kill() } // it may have exited already
	return &pipe{mcptest.OpenPipe(in, out, patience, kill), cmd}, nil
}

// Close implements [mcptest.Transport]. It kills a child that does not exit.
func (p *pipe) Close() error {
	err := p.Pipe.Close()
	if status := p.cmd.Wait(); status != nil {
		err = errors.Join(err, fmt.Errorf("it exited with %w", status))
	}
	return err
}
