package pattern

import "sync"

// A Pattern is a compiled regular expression. Goroutines may share it.
type Pattern struct {
	text string

	mu      sync.Mutex
	machine *machine // nil until it is needed
	entry   *entry   // nil until there was a machine
}

// Compile returns the pattern of a text. The error says why the text is none, or which
// limit it exceeds.
func Compile(text string) (*Pattern, error) {
	n, err := parse(text)
	if err == nil {
		err = n.check()
	}
	if err != nil {
		return nil, err
	}
	return &Pattern{text: text}, nil
}

// String returns the text that the pattern was compiled from.
func (p *Pattern) String() string { return p.text }

// Match reports whether the whole text matches. It returns [ErrWork] if that takes too
// many steps.
func (p *Pattern) Match(text string) (bool, error) {
	ok, _, err := p.Steps(text)
	return ok, err
}

// Steps is Match that also returns the steps that it took beyond some for each byte of the
// text.
func (p *Pattern) Steps(text string) (ok bool, steps int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	made := p.machine == nil
	if made {
		n, err := parse(p.text)
		if err != nil {
			return false, 0, err // never: the text was parsed before
		}
		n.measure()
		p.machine = newMachine(newProgram(n))
		steps = len(p.machine.program.insts)
	}
	before := p.machine.cost
	ok, err = p.machine.match(text)
	if made || p.machine.cost != before {
		machines.count(p)
	}
	return ok, steps + max(0, maxWork-p.machine.work), err
}
