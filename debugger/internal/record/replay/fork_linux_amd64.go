package replay

import "maps"

// Fork returns another Player at the same position. Both use the same files, which only
// the first one closes.
func (p *Player) Fork() (*Player, error) {
	run, err := p.run.Fork()
	if err != nil {
		return nil, err
	}
	return &Player{
		recording: p.recording, tracer: p.tracer, files: p.files, run: run, base: p.Position(), event: p.event,
		replaying: p.replaying, thread: p.thread, threads: maps.Clone(p.threads),
	}, nil
}
