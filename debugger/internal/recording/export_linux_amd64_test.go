package recording

import "github.com/triptych-mcp/triptych/debugger/internal/inplace"

// Step executes the next instruction in its original place, whatever it is.
func (p *Player) Step() (inplace.Stop, error) { return p.run.Step() }
