package debugger

import "github.com/triptych-mcp/triptych/debugger/internal/kernel/features"

// A Lack is a feature that the debugger misses on a machine, and what that costs.
type Lack = features.Lack

// Lacks returns what the debugger misses on this machine.
func Lacks() []Lack { return features.This().Lacks() }
