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

// maxLine is the longest message that is taken; real clients give up earlier.
const maxLine = 16 << 20

// A pipe is the road over standard input and output to a child process.
type pipe struct {
	*mcptest.Pipe

	cmd *exec.Cmd
}

// openPipe starts the program, which is killed when ctx is done. Its standard
// error goes to ours.
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
	kill := func() { _ = cmd.Process.Kill() } // it may have ended meanwhile
	return &pipe{mcptest.OpenPipe(in, out, patience, kill), cmd}, nil
}

// End implements [mcptest.Road]; a child that stays is killed.
func (p *pipe) End() error {
	err := p.Pipe.End()
	if status := p.cmd.Wait(); status != nil {
		err = errors.Join(err, fmt.Errorf("it ended with %w", status))
	}
	return err
}
