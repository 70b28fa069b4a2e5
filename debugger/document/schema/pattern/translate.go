package pattern

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of what patterns become.
const (
	maxSize = 100_000   // characters and classes, as often as quantifiers repeat them
	maxText = 4_000_000 // bytes of the translation
	goLimit = 1000      // of the quantifiers of Go, multiplied where they nest
)

// translate returns a regular expression of Go that matches the texts that n does.
func translate(n *node) (string, error) {
	n.measure()
	if n.size > maxSize {
		return "", fmt.Errorf("its quantifiers repeat more than the %d characters and classes that are supported", maxSize)
	}
	w := &writer{}
	w.WriteString(`\A(?:`)
	w.node(n)
	w.WriteString(`)\z`)
	if w.full() {
		return "", errors.New("its quantifiers repeat classes that are too large")
	}
	return w.String(), nil
}

// measure sets the sizes of n and its parts: the number of characters and classes when all
// quantifiers are written out, exact up to maxSize; and the product of the nested
// quantifiers of the translation, which Go limits.
func (n *node) measure() {
	n.size, n.need = 0, 1
	for _, part := range n.parts {
		part.measure()
		n.size = min(n.size+part.size, maxSize+1)
		n.need = max(n.need, part.need)
	}
	switch n.op {
	case class:
		n.size = 1
	case repetition:
		times := n.max
		if n.max == infinite {
			times = max(n.min, 1)
		}
		n.size = min(n.size*min(times, maxSize+1), maxSize+1)
		n.need *= max(1, min(times, goLimit/n.need))
	}
}

// A writer writes the translation. It stops when that is too long.
type writer struct{ strings.Builder }

func (w *writer) full() bool { return w.Len() > maxText }

func (w *writer) node(n *node) {
	if w.full() {
		return
	}
	switch n.op {
	case class:
		w.class(n.set)
	case sequence:
		for _, part := range n.parts {
			w.node(part)
		}
	case choice:
		w.WriteString("(?:")
		for i, part := range n.parts {
			if i > 0 {
				w.WriteByte('|')
			}
			w.node(part)
		}
		w.WriteByte(')')
	case repetition:
		if n.parts[0].size > 0 {
			w.repetition(n.parts[0], n.min, n.max)
		}
	}
}

// repetition writes n least to most times. Numbers that are too large for Go become several
// quantifiers.
func (w *writer) repetition(n *node, least, most int) {
	step := goLimit / n.need
	if least <= step && most <= step {
		w.quantified(n, least, most)
		return
	}
	for left := least; left > 0; left -= step {
		w.quantified(n, min(left, step), min(left, step))
	}
	if most == infinite {
		w.quantified(n, 0, infinite)
		return
	}
	w.optional(n, most-least, step)
}

// optional writes n at most max times. Each level repeats it step times before the next,
// or less often and ends, so that few paths through the expression are open at any time.
func (w *writer) optional(n *node, max, step int) {
	levels := 0
	for ; max > step && !w.full(); max -= step {
		w.WriteString("(?:")
		w.quantified(n, 0, step-1)
		w.WriteByte('|')
		w.quantified(n, step, step)
		levels++
	}
	w.quantified(n, 0, max)
	for range levels {
		w.WriteByte(')')
	}
}

// quantified writes n with a quantifier that Go accepts.
func (w *writer) quantified(n *node, min, max int) {
	if max == 0 {
		return
	}
	w.WriteString("(?:")
	w.node(n)
	w.WriteByte(')')
	switch {
	case min == 1 && max == 1:
	case min == 0 && max == 1:
		w.WriteByte('?')
	case min == 0 && max == infinite:
		w.WriteByte('*')
	case min == 1 && max == infinite:
		w.WriteByte('+')
	case max == infinite:
		fmt.Fprintf(w, "{%d,}", min)
	default:
		fmt.Fprintf(w, "{%d,%d}", min, max)
	}
}

// class writes a set as a class.
func (w *writer) class(s set) {
	if len(s) == 0 {
		w.WriteString(`[^\x00-\x{10FFFF}]`)
		return
	}
	w.WriteByte('[')
	for _, r := range s {
		w.character(r.low)
		if r.high > r.low {
			w.WriteByte('-')
			w.character(r.high)
		}
	}
	w.WriteByte(']')
}

// character writes a character of a class: as it is if it means nothing else.
func (w *writer) character(r rune) {
	if r >= utf8.RuneSelf && utf8.ValidRune(r) || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
		w.WriteRune(r)
		return
	}
	w.WriteString(`\x{` + strconv.FormatInt(int64(r), 16) + `}`)
}
