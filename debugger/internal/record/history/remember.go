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
