package history_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// victimCommand makes the test binary a recorder that is about to be killed.
const victimCommand = "__victim"

// victims holds the operations that the recorder then repeats without end.
var victims = map[string]func(*history.Recorder) error{
	"in recorded steps": func(r *history.Recorder) error {
		_, err := r.Run(context.Background(), 0, history.Limits{})
		return err
	},
	"in a free run": func(r *history.Recorder) error {
		for {
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			_, err := r.Resume(ctx)
			if cancel(); err != nil {
				return err
			}
		}
	},
}

// victimMain is the recorder's side: process, and name of the victim. It says
// that it is ready when the process has come to bear an interruption.
func victimMain(args []string) int {
	pid, _ := strconv.Atoi(args[0])
	ctx := context.Background()
	p, err := proc.Attach(ctx, pid, proc.Options{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	r, err := history.New(history.NewTarget(p), history.Options{Single: true})
	if err == nil {
		_, err = r.Step(ctx, 0, 1)
	}
	if err == nil {
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		_, err = r.Resume(short)
		cancel()
	}
	if err == nil {
		fmt.Println("ready")
		err = victims[args[1]](r)
	}
	fmt.Println(err)
	return 1
}

// A recorder that is killed leaves its process alive and at work.
func TestRecorderIsKilled(t *testing.T) {
	for name := range victims {
		t.Run(name, func(t *testing.T) {
			for round := range 5 {
				t.Run("", func(t *testing.T) { killRecorder(t, name, time.Duration(round)*3*time.Millisecond) })
			}
		})
	}
}

func killRecorder(t *testing.T, name string, after time.Duration) {
	t.Helper()
	program := debuggertest.Start(t, "busy.go")
	before := program.Ask("count")
	recorder := debuggertest.StartFile(t, "the recorder", os.Args[0], victimCommand, strconv.Itoa(program.PID), name)
	time.Sleep(20*time.Millisecond + after)
	recorder.Kill()
	recorder.Wait()
	for range 3 { // a busy machine may not run it for a while
		now := before
		for end := time.Now().Add(20 * time.Second); now == before && time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
			now = program.Ask("count")
		}
		if now == before {
			t.Fatalf("the program stands still at %s", now)
		}
		before = now
	}
	if got := program.Status("TracerPid"); got != "0" {
		t.Errorf("TracerPid is %s, want 0", got)
	}
}
