package recording

import "github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"

// Process returns the id of the process that replays.
func (p *Player) Process() int { return p.run.Thread() }

// Mappings returns the program's own mappings that can be written.
func (p *Player) Mappings() (procfs.Maps, error) {
	all, err := readMaps(p.run.Thread())
	var maps procfs.Maps
	for _, m := range all {
		if m.Write && m.Read && !m.Shared && !p.run.Reserved(m.Start, m.End-m.Start) {
			maps = append(maps, m)
		}
	}
	return maps, err
}
