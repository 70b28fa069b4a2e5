package dwarfread

import (
	"debug/dwarf"
)

// A Level is one of the functions that contain an address: the function itself,
// or a function inlined into the next level.
type Level struct {
	Name    string
	File    string
	Line    int
	Inlined bool
	Scopes  []*Scope // outermost first; nil if not described
}

// LevelsLocked returns the function at an address of the file with its levels,
// innermost first, or nil if none is described. A function with damaged scopes
// has one level.
func (d *Info) LevelsLocked(pc uint64) (*Subprogram, []Level, error) {
	u := d.unitForLocked(pc)
	if u == nil {
		return nil, nil, nil
	}
	file, line := u.LinesLocked().At(pc)
	f := u.functionAtLocked(pc)
	if f == nil {
		return nil, []Level{{File: file, Line: line}}, nil
	}
	tree, err := f.ScopesLocked()
	if tree == nil {
		return f, []Level{{Name: f.Name, File: file, Line: line}}, err
	}
	path := tree.path(pc)
	if line == 0 {
		file, line = u.LinesLocked().before(pc, func(pc uint64) bool {
			return within(f.ranges, pc) && innermost(tree.path(pc)) == innermost(path)
		})
	}
	return f, levels(path, file, line), nil
}

// innermost returns the scope of the innermost function, inlined or not, in a
// path of scopes.
func innermost(path []*Scope) *Scope {
	i := len(path) - 1
	for i > 0 && path[i].tag != dwarf.TagInlinedSubroutine {
		i--
	}
	return path[i]
}

// levels divides a path of scopes into functions. The line of each outer function
// is the line of the call to the next one.
func levels(path []*Scope, file string, line int) []Level {
	var out []Level
	for end := len(path); end > 0; {
		start := end - 1
		for start > 0 && path[start].tag != dwarf.TagInlinedSubroutine {
			start--
		}
		s := path[start]
		out = append(out, Level{
			Name: s.Name, File: file, Line: line,
			Inlined: s.tag == dwarf.TagInlinedSubroutine, Scopes: path[start:end],
		})
		file, line, end = s.callFile, s.callLine, start
	}
	return out
}
