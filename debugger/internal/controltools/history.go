package controltools

import "github.com/triptych-mcp/triptych/debugger/internal/failure"

// historyArg is the argument that says how much history is kept, in MiB.
type historyArg struct {
	History int `json:"history_memory,omitempty" doc:"MiB of history"`
}

// historyBytes returns the budget of a history in bytes, 0 without an argument.
func (t *Group) historyBytes(a historyArg) (int, error) {
	if a.History == 0 {
		return 0, nil
	}
	if a.History < 1 || a.History > t.MaxHistory {
		return 0, failure.Errorf("Invalid history_memory", "%d MiB, 1 to %d are possible on this server", a.History, t.MaxHistory)
	}
	return a.History << 20, nil
}
