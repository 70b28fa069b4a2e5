package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The index of a stream finds the records of a key without reading all of it:
//
//   - lines are counted in blocks of [blockLines]; for each segment of the stream a sorted
//     set has the members KEY NUL BLOCK, each key once in a block;
//   - a hash says where segments begin, and which lines the index covers.
//
// Both are written by the script that adds the lines. They are a help: what they say is
// found in the lines again, and verified there.
const (
	// blockLines is the number of lines of a block, which is read at once.
	blockLines = 128
	// coveredFrom and coveredThrough are the fields of the first and the last line that the
	// index covers; the latter has the bytes of all lines so far behind a space.
	coveredFrom    = "from"
	coveredThrough = "through"
)

// streamNames are the names of the keys of the trail of an installation, behind its prefix:
//
//	triptych:audit-heads            hash: the last signed head of each chain
//	triptych:audit:CHAIN            stream: the lines; the id N-0 is that of the N-th
//	triptych:audit-segments:{…}     hash: where segments begin, what the index covers
//	triptych:audit-index:{…}:N      sorted set: the index of segment N
//	triptych:audit-sync:{…}         written before a sync is waited for
//	triptych:audit-alive:{…}        expires when the server has ended
//	triptych:audit-ended:{…}        states what was deleted of the chain
//	triptych:audit-adopting:{…}     a stream that is being copied
//
// {…} is the name of the stream: a cluster has all keys of a chain at one node, so that a
// script can change them together.
type streamNames struct{ prefix string }

func (n streamNames) heads() string              { return n.prefix + headsKey }
func (n streamNames) stream(chain string) string { return n.prefix + streamPrefix + chain }

// The other keys of a chain are in the slot of its stream.
func (n streamNames) sync(chain string) string {
	return n.prefix + "triptych:audit-sync:{" + n.stream(chain) + "}"
}

func (n streamNames) segments(chain string) string {
	return n.prefix + "triptych:audit-segments:{" + n.stream(chain) + "}"
}

// ended is the key of what was deleted of a chain as a whole, alive that of the mark of the
// server that adds to it.
func (n streamNames) ended(chain string) string {
	return n.prefix + "triptych:audit-ended:{" + n.stream(chain) + "}"
}

func (n streamNames) alive(chain string) string {
	return n.prefix + "triptych:audit-alive:{" + n.stream(chain) + "}"
}

// adopting is the key of a stream that is copied and not whole yet.
func (n streamNames) adopting(chain string) string {
	return n.prefix + "triptych:audit-adopting:{" + n.stream(chain) + "}"
}

// indexes begins the names of the indexes of a chain.
func (n streamNames) indexes(chain string) string {
	return n.prefix + "triptych:audit-index:{" + n.stream(chain) + "}:"
}

func (n streamNames) index(chain string, segment int) string {
	return n.indexes(chain) + strconv.Itoa(segment)
}

// A segment holds lines of a stream that are deleted together, as a file does elsewhere.
type segment struct {
	number int
	line   int       // number of its first line
	began  time.Time // to the second
	offset int64     // bytes of the chain before it
}

// value is the segment in the hash of segments.
func (s segment) value() string { return fmt.Sprintf("%d %d %d", s.line, s.began.Unix(), s.offset) }

// parseSegment reads a field of the hash of segments; ok is false for another field.
func parseSegment(field, value string) (s segment, ok bool) {
	number, err := strconv.Atoi(field)
	if err != nil {
		return s, false
	}
	var began int64
	if _, err := fmt.Sscanf(value, "%d %d %d", &s.line, &began, &s.offset); err != nil {
		return s, false
	}
	s.number, s.began = number, time.Unix(began, 0)
	return s, true
}

// blockOf returns the block of a line.
func blockOf(line int) int { return (line - 1) / blockLines }

// indexMember is an entry of the index of a segment. Blocks have eight digits or more, so that
// the entries of a key are in the order of blocks.
func indexMember(key string, block int) string { return fmt.Sprintf("%s\x00%08d", key, block) }

// blockIn returns the block of an entry.
func blockIn(member string) (int, bool) {
	_, digits, ok := strings.Cut(member, "\x00")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil
}

// keyOf returns the key of a record's line, "" if it has none. The key comes right after the
// time. It does without parsing the line, since it sees every line that is added.
func keyOf(line []byte) string {
	at := bytes.Index(line, []byte(timeStart))
	if at < 0 || len(line) < at+len(timeStart)+len(timeFormat)+1 {
		return ""
	}
	rest, ok := bytes.CutPrefix(line[at+len(timeStart)+len(timeFormat)+1:], []byte(`,"key":`))
	if !ok {
		return ""
	}
	end := 1
	for end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	var key string
	if end >= len(rest) || json.Unmarshal(rest[:end+1], &key) != nil {
		return ""
	}
	return key
}

// An indexer returns the entries of the index for lines that are to be added. plan changes
// nothing; accept is called once the lines are stored. An entry that is missing makes a query
// miss records, one too many only costs time: in doubt an entry is made again.
type indexer struct {
	segments []segment      // that are there, the oldest first; the last one is added to
	blocks   map[string]int // the last block of the current segment for which a key has an entry
	bytes    int64          // of the lines of the chain
}

// An addition holds the changes that a group of lines makes.
type addition struct {
	indexer
	entries []any // pairs of a segment and a member
	begun   []any // pairs of a segment and its value
}

// plan returns what lines change that are added behind the one with the number last. A line
// that begins a segment counts for the segment.
func (x *indexer) plan(last int, lines [][]byte, now time.Time) addition {
	a := addition{indexer: indexer{segments: x.segments, blocks: map[string]int{}, bytes: x.bytes}}
	fresh := false
	for i, text := range lines {
		n := last + 1 + i
		if file := fileOf(text); file != nil {
			s := segment{file.Number, n, now, a.bytes}
			a.segments = append(a.segments[:len(a.segments):len(a.segments)], s)
			a.begun = append(a.begun, s.number, s.value())
			clear(a.blocks)
			fresh = true
		}
		a.bytes += int64(len(text))
		if key := keyOf(text); key != "" && len(a.segments) > 0 {
			a.enter(x, key, blockOf(n), fresh)
		}
	}
	return a
}

// enter adds an entry unless the index has it.
func (a *addition) enter(x *indexer, key string, block int, fresh bool) {
	had, known := a.blocks[key]
	if !known && !fresh {
		had, known = x.blocks[key]
	}
	if known && had == block {
		return
	}
	a.blocks[key] = block
	a.entries = append(a.entries, a.segments[len(a.segments)-1].number, indexMember(key, block))
}

// maxBlocks limits the keys whose last block a writer remembers; an entry that is made
// twice does no harm.
const maxBlocks = 10_000

// accept takes over an addition: its lines were added.
func (x *indexer) accept(a addition) {
	if len(a.begun) > 0 || len(x.blocks) > maxBlocks {
		x.blocks = map[string]int{}
	}
	for key, block := range a.blocks {
		x.blocks[key] = block
	}
	x.segments, x.bytes = a.segments, a.bytes
}

// current returns the segment that lines are added to, the zero segment if there is none.
func (x *indexer) current() segment {
	if len(x.segments) == 0 {
		return segment{}
	}
	return x.segments[len(x.segments)-1]
}

// forget drops what is said of the lines after one with a number, which the store has
// lost.
func (x *indexer) forget(last int) {
	for len(x.segments) > 0 && x.current().line > last {
		x.segments = x.segments[:len(x.segments)-1]
	}
	x.blocks = map[string]int{}
}

// fileStart begins a note of a file behind the hash.
var fileStart = []byte(`"file":`)

// fileOf returns the note of a line that begins a file or segment, nil for another line. It
// parses only lines that look like one.
func fileOf(text []byte) *fileNote {
	if len(text) < prevSize || !bytes.HasPrefix(text[prevSize:], fileStart) {
		return nil
	}
	l, err := parseLine(text)
	if err != nil || l.note == nil {
		return nil
	}
	return l.note.File
}
