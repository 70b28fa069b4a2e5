package symbols

import (
	"debug/dwarf"
)

// A level is a function that an address lies in: the real one, or one inlined
// into the next.
type level struct {
	name    string
	file    string
	line    int
	inlined bool
	scopes  []*scope // outermost first; nil without debug information
}

// levelsLocked returns the function at an address of the file, nil when none is
// described, and its levels, innermost first. A damaged function has one level.
func (d *debugInfo) levelsLocked(pc uint64) (*function, []level, error) {
	u := d.unitForLocked(pc)
	if u == nil {
		return nil, nil, nil
	}
	file, line := u.linesLocked().at(pc)
	f := u.functionAtLocked(pc)
	if f == nil {
		return nil, []level{{file: file, line: line}}, nil
	}
	tree, err := f.treeLocked()
	if tree == nil {
		return f, []level{{name: f.name, file: file, line: line}}, err
	}
	return f, levels(tree.path(pc), file, line), nil
}

// levels cuts a path of scopes at the functions that were inlined. The line of
// each outer one is where it calls the next.
func levels(path []*scope, file string, line int) []level {
	var out []level
	for end := len(path); end > 0; {
		start := end - 1
		for start > 0 && path[start].tag != dwarf.TagInlinedSubroutine {
			start--
		}
		s := path[start]
		out = append(out, level{
			name: s.name, file: file, line: line,
			inlined: s.tag == dwarf.TagInlinedSubroutine, scopes: path[start:end],
		})
		file, line, end = s.callFile, s.callLine, start
	}
	return out
}
