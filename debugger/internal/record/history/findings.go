package history

import "slices"

// Findings are results of searches in a history, under the keys of their questions. They belong
// to the goroutine of the history.
type Findings struct {
	Keeper Keeper // or nil

	list  []finding      // those used last at the end
	state func() version // of the history
}

// A version of a history says whether it is the one that was searched.
type version struct {
	first, last uint64 // positions
	count       uint64 // of all records ever appended
}

// A finding is the result of a search in a version of the history.
type finding struct {
	key   string
	of    version
	value any
}

// maxFindings is the number of findings that a history remembers.
const maxFindings = 32

// Remember keeps the result of a search, as long as the history does not change. Of many
// findings those that were used last are kept.
func (s *Findings) Remember(key string, value any) {
	s.forget(key)
	s.list = append(s.list, finding{key, s.state(), value})
	if len(s.list) > maxFindings {
		s.list = slices.Delete(s.list, 0, 1)
	}
}

// Remembered returns the result that Remember has kept under a key, or nil.
func (s *Findings) Remembered(key string) any {
	f := s.forget(key)
	if f.value == nil || f.of != s.state() {
		return nil
	}
	s.list = append(s.list, f)
	return f.value
}

// forget removes a finding, and returns it.
func (s *Findings) forget(key string) (f finding) {
	i := slices.IndexFunc(s.list, func(f finding) bool { return f.key == key })
	if i >= 0 {
		f = s.list[i]
		s.list = slices.Delete(s.list, i, i+1)
	}
	return f
}

// A Keeper keeps findings of a history that never changes for the next one of the same recording.
type Keeper interface {
	// Load returns the numbers that were saved under a key.
	Load(key string) (numbers []uint64, ok bool)
	// Save saves numbers, of which those that are a multiple of stride apart are near each other.
	Save(key string, stride int, numbers []uint64)
}

// Keep keeps a finding, if there is a Keeper.
func (s *Findings) Keep(key string, stride int, numbers func() []uint64) {
	if s.Keeper != nil {
		s.Keeper.Save(key, stride, numbers())
	}
}

// Kept returns a finding that was kept. The caller checks it: it may come from a file of others.
func (s *Findings) Kept(key string) (numbers []uint64, ok bool) {
	if s.Keeper == nil {
		return nil, false
	}
	return s.Keeper.Load(key)
}
