package controltools

import (
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// historyArg holds the arguments that say how much history is kept, and where. The place of
// the file is not the client's choice.
type historyArg struct {
	Memory int `json:"history_memory,omitempty" doc:"MiB of history"`
	File   int `json:"history_file,omitempty" doc:"MiB in a file"`
}

// budget returns what a history may take, zero without arguments.
func (t *Group) budget(a historyArg) (stepping.Budget, error) {
	for _, x := range [...]struct {
		name        string
		value, most int
	}{{"history_memory", a.Memory, t.MaxHistory}, {"history_file", a.File, t.MaxHistoryFile}} {
		if x.value < 0 || x.value > x.most {
			return stepping.Budget{}, failure.Errorf("Invalid "+x.name, "%d MiB, 1 to %d are possible on this server", x.value, x.most)
		}
	}
	return stepping.Budget{Memory: a.Memory << 20, File: a.File << 20}, nil
}
