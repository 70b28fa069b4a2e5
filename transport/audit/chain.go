package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"time"
)

// A chain is the end of a chain, to which lines are added. Adding a line advances it at once,
// before the line is stored; a medium that must store lines again sets it back.
type chain struct {
	id     string
	signer *signer
	// pending holds the rotations that come before the next records or signed head.
	pending []rotationNote
	point
}

// A point is a place in a chain, between two lines: what the next line needs to follow.
type point struct {
	prev digest // of the line before it
	seq  uint64 // of the last record before it
}

// add appends a line with these members and its newline to dst, and advances the chain past
// it. The hash of the line before comes first, so that a reader can check the order without
// parsing the rest. It leaves seq as it is.
func (c *chain) add(dst, body []byte) []byte {
	start := len(dst)
	dst = append(hexAppend(append(dst, prevStart...), c.prev), prevEnd...)
	dst = append(append(dst, body...), '}')
	c.prev = sha256.Sum256(dst[start:])
	return append(dst, '\n')
}

// hexAppend appends a digest in hexadecimal digits.
func hexAppend(dst []byte, d digest) []byte { return hex.AppendEncode(dst, d[:]) }

// addHead appends a signed head that covers all lines so far.
func (c *chain) addHead(dst []byte, now time.Time) []byte {
	h := headNote{Seq: c.seq, Time: formatTime(now)}
	h.sign(c.signer.key, c.id, c.prev.String())
	return c.add(dst, note{Head: &h}.body())
}

// header returns the first line of a file.
func (c *chain) header(number int, now time.Time) *fileNote {
	return &fileNote{
		Version: formatVersion, Chain: c.id, Number: number, After: c.seq,
		PublicKey: hex.EncodeToString(c.signer.public()), Time: formatTime(now),
	}
}

// addRotations appends the rotations that the chain must note before the next signed head.
func (c *chain) addRotations(dst []byte) []byte {
	for i := range c.pending {
		dst = c.add(dst, note{Rotated: &c.pending[i]}.body())
	}
	c.pending = nil
	return dst
}

// A group is some lines of a chain that are written together. A signed head, if there is one,
// is its last line. The hashes in the lines say where they belong: a group can be written only
// behind the line that it was made for, unless follow makes it anew.
type group struct {
	data []byte // lines with their newlines
	head []byte // the last line without its newline, nil if it is no signed head
	seq  uint64 // of the last record so far
}

// sign ends the group with a signed head. Nothing may be added to the group afterwards.
func (g *group) sign(c *chain, now time.Time) {
	start := len(g.data)
	g.data = c.addHead(g.data, now)
	g.head = g.data[start : len(g.data)-1]
	g.seq = c.seq
}

// lines returns the lines of the group without their newlines.
func (g *group) lines() iter.Seq[[]byte] { return linesOf(g.data) }

// linesOf returns the lines of a text without their newlines.
func linesOf(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for text := range bytes.Lines(data) {
			if !yield(text[:len(text)-1]) {
				return
			}
		}
	}
}

// copy adds a line of another place to the group, with the hash that it has here. A signed
// head or the first line of a file is left out: they say what holds in the other place only.
func (g *group) copy(c *chain, text []byte) error {
	l, err := parseLine(text)
	switch {
	case err != nil:
		return err
	case l.note != nil && (l.note.Head != nil || l.note.File != nil):
		return nil
	}
	g.data = c.add(g.data, text[prevSize:len(text)-1])
	if l.seq > 0 {
		c.seq = l.seq
	}
	return nil
}

// follow makes the lines of a group, with notes before them, follow a line with the hash prev,
// and ends them with a signed head. Notes of the group that say where the chain stood are left
// out. The numbers of the records stay: callers have them.
func (g *group) follow(c *chain, prev digest, notes []note, now time.Time) {
	c.prev = prev
	var data []byte
	for _, n := range notes {
		data = c.add(data, n.body())
	}
	for text := range g.lines() {
		l, err := parseLine(text)
		if err == nil && l.note != nil && (l.note.Head != nil || l.note.Lost != nil || l.note.Moved != nil || l.note.File != nil || l.note.Retired != nil) {
			continue // it says what is no longer so
		}
		data = c.add(data, text[prevSize:len(text)-1])
	}
	g.data = data
	g.sign(c, now)
}

// rotationGroup returns the lines with which a chain is passed on to the key of its signer.
// notes say what was found when the chain was opened, such as what a crash has left.
func (c *chain) rotationGroup(notes []note, now time.Time) *group {
	g := &group{data: c.addRotations(nil)}
	for _, n := range notes {
		g.data = c.add(g.data, n.body())
	}
	g.sign(c, now)
	return g
}

// recordsIn counts the records of a group. Its last record less these is the last one before
// the group.
func recordsIn(g *group) (n int) {
	for text := range g.lines() {
		if l, err := parseLine(text); err == nil && l.note == nil {
			n++
		}
	}
	return n
}
