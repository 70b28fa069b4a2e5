package history

import "slices"

// A finding holds the result of a search in a history, under the key of its question.
type finding struct {
	key         string
	first, last uint64 // positions of the history that was searched
	count       uint64 // History.count then
	value       any
}

// maxFindings is the number of findings that a history remembers.
const maxFindings = 32

// Remember keeps the result of a search, as long as the history does not change. Of many
// findings those that were used last are kept.
func (h *History) Remember(key string, value any) {
	h.forget(key)
	h.findings = append(h.findings, finding{key, h.Oldest(), h.End(), h.count, value})
	if len(h.findings) > maxFindings {
		h.findings = slices.Delete(h.findings, 0, 1)
	}
}

// Remembered returns the result that Remember has kept under a key, or nil.
func (h *History) Remembered(key string) any {
	f := h.forget(key)
	if f.value == nil || f.first != h.Oldest() || f.last != h.End() || f.count != h.count {
		return nil
	}
	h.findings = append(h.findings, f)
	return f.value
}

// forget removes a finding, and returns it.
func (h *History) forget(key string) (f finding) {
	i := slices.IndexFunc(h.findings, func(f finding) bool { return f.key == key })
	if i >= 0 {
		f = h.findings[i]
		h.findings = slices.Delete(h.findings, i, i+1)
	}
	return f
}

// A Keeper keeps findings in a history that never changes for the next one of the same recording.
type Keeper interface {
	// Load returns the numbers that were saved under a key.
	Load(key string) (numbers []uint64, ok bool)
	// Save saves numbers, of which those that are a multiple of stride apart are near each other.
	Save(key string, stride int, numbers []uint64)
}

// KeepFindings makes Keep and Kept use a Keeper.
func (h *History) KeepFindings(k Keeper) { h.keeper = k }

// Keep keeps a finding, if there is a Keeper.
func (h *History) Keep(key string, stride int, numbers func() []uint64) {
	if h.keeper != nil {
		h.keeper.Save(key, stride, numbers())
	}
}

// Kept returns a finding that was kept. The caller checks it: it may come from a file of others.
func (h *History) Kept(key string) (numbers []uint64, ok bool) {
	if h.keeper == nil {
		return nil, false
	}
	return h.keeper.Load(key)
}
