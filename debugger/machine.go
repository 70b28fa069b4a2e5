package debugger

import "github.com/triptych-mcp/triptych/debugger/internal/machine"

// A Lack is a feature that the debugger misses on a machine, and what that costs.
type Lack = machine.Lack

// Lacks returns what the debugger misses on this machine.
func Lacks() []Lack { return machine.This().Lacks() }
