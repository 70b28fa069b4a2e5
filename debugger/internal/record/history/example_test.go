package history_test

import (
	"context"
	"fmt"
	"os"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// A program is recorded to where a variable gets a value, and asked who wrote
// it.
func Example() {
	ctx := context.Background()
	process, err := proc.Attach(ctx, 1234, proc.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = process.Detach(ctx) }()
	recorder, err := history.New(history.NewTarget(process), history.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	const variable = 0x404040
	result, err := recorder.Run(ctx, 0, history.Limits{Steps: 1_000_000, Until: func(v *history.View) bool {
		var b [1]byte
		n, _ := v.ReadMemory(variable, b[:])
		return n == 1 && b[0] == 7
	}})
	fmt.Println(result.Why, result.Position, err)
	past := recorder.History()
	if write, ok, err := past.Steps.LastWrite(ctx, variable, 1); ok && err == nil {
		_, _ = past.Seek(write.Position) // the view stands before the instruction
		fmt.Printf("written by %#x\n", past.View().PC())
	}
	_, _ = past.Export(ctx, os.Stdout, history.ExportOptions{Format: history.Text, From: past.Oldest()})
}
