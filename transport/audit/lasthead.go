package audit

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// A signedHead is a signed head that was found in a file.
type signedHead struct {
	note   *headNote // nil when there is none
	hash   digest    // of its line
	number int       // of the file
	after  int64     // where its line ends
	former bool      // a key before that of the signer has signed it
}

// lastHead finds the last signed head of a chain, the newest file first: most chains have one
// near the end, so that opening a long chain costs little.
func (w *fileWriter) lastHead(all []int, c *chain) (signedHead, error) {
	for i := len(all) - 1; i >= 0; i-- {
		h, err := lastHeadOf(w.path(all[i]), keptOf(w.dir, all[i]), c)
		if err != nil || h.note != nil {
			h.number = all[i]
			return h, err
		}
	}
	return signedHead{}, errors.New("no file has a signed head")
}

// lastHeadOf finds the last signed head in the first bytes of a file. It reads the end of the
// file, and four times as much each time that this has none. The head that it returns has no
// note if the file has none.
func lastHeadOf(path string, length int64, c *chain) (signedHead, error) {
	f, err := os.Open(path)
	if err != nil {
		return signedHead{}, err
	}
	defer func() { _ = f.Close() }() // only read
	text, err := textEnd(f, min(length, sizeOf(path)))
	if err != nil {
		return signedHead{}, err
	}
	for window := int64(64 << 10); ; window *= 4 {
		from := max(0, text-window)
		tail := make([]byte, text-from)
		if _, err := f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
			return signedHead{}, err
		}
		if h, found := findHead(tail, from, c); found || from == 0 {
			return h, nil
		}
	}
}

// textEnd finds where the lines of a file end: at its first empty line, behind which is room.
// A file that was closed has none, and is found by its last two bytes.
func textEnd(f *os.File, length int64) (int64, error) {
	end := make([]byte, min(length, roomEnd))
	if _, err := f.ReadAt(end, length-int64(len(end))); err != nil || string(end) != "\n\n" {
		return length, err
	}
	all, err := io.ReadAll(io.NewSectionReader(f, 0, length))
	if err != nil {
		return 0, err
	}
	lines, _, _ := bytes.Cut(all, []byte("\n\n"))
	if len(lines) == 0 {
		return 0, nil
	}
	return int64(len(lines)) + 1, nil
}

// findHead looks for the last signed head in the end of a file, which begins at
// from. After a power cut a disk may have the head that was written last and not all
// before it: the lines must lead back to the head before, or to the file's first
// line.
func findHead(tail []byte, from int64, c *chain) (signedHead, bool) {
	var got signedHead // the lines from want on lead to it
	want := ""
	for {
		stop := bytes.LastIndexByte(tail, '\n')
		if stop < 0 {
			return signedHead{}, false
		}
		start := bytes.LastIndexByte(tail[:stop], '\n') + 1
		l, err := parseLine(tail[start:stop])
		fits := err == nil && got.note != nil && l.hash.String() == want
		isHead := err == nil && c.signer.signed(l, c.id)
		switch {
		case fits && (isHead || from+int64(start) == 0):
			return got, true
		case isHead:
			got = signedHead{note: l.note.Head, hash: l.hash, after: from + int64(stop) + 1, former: !l.isHeadOf(c.signer.public(), c.id)}
		case !fits:
			got = signedHead{}
		}
		want, tail = l.prev, tail[:start]
	}
}
