package target

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// written returns the output of a program that has written text and goes on.
func written(t *testing.T, text string) *Output {
	t.Helper()
	o := newOutput(nil, nil)
	o.append([]byte(text))
	return o
}

// mixed has runes of one to four bytes.
var mixed = strings.Repeat("aé€😀", 50)

// Parts of any size, from any byte on, have whole runes, and together the whole
// output.
func TestSinceCutsBetweenRunes(t *testing.T) {
	o := written(t, mixed)
	for most := 4; most < 30; most++ {
		var all strings.Builder
		for at := int64(0); at < int64(len(mixed)); {
			text, from, next := o.Since(at, most)
			if from != at || next <= at || len(text) > most || text != mixed[from:next] {
				t.Fatalf("%d bytes from %d on: %q, bytes %d to %d", most, at, text, from, next)
			}
			all.WriteString(text)
			at = next
		}
		if all.String() != mixed {
			t.Errorf("parts of %d bytes are not the whole", most)
		}
	}
	begins := int64(0) // of the rune that has the byte
	for i := range int64(len(mixed)) {
		if utf8.RuneStart(mixed[i]) {
			begins = i
		}
		if text, from, next := o.Since(i, 16); from != begins || text != mixed[from:next] {
			t.Errorf("from %d on: %q, bytes %d to %d, want from %d on", i, text, from, next, begins)
		}
	}
}

// Bytes that are no UTF-8 are shown as U+FFFD, and all of them in the end.
func TestSinceGoesThroughOtherBytes(t *testing.T) {
	for _, text := range []string{"\x80", "\xc3", "\xf0\x9f", "\xe9x", "\xff", "caf\xe9"} {
		raw := strings.Repeat(text, 20)
		o := written(t, raw)
		at, parts := int64(0), 0
		for ; at < int64(len(raw)); parts++ {
			shown, from, next := o.Since(at, 5)
			if from > at || next <= at || shown == "" {
				t.Fatalf("%q: from %d on: %q, bytes %d to %d", text, at, shown, from, next)
			}
			at = next
		}
		if again, _, next := o.Since(at, 5); again != "" || next != at {
			t.Errorf("%q: after the end there is %q", text, again)
		}
	}
}

// A rune that the program has written half of is shown when it is whole, and is
// not awaited for ever.
func TestHalfRune(t *testing.T) {
	o := written(t, "caf\xc3")
	if text, _, next := o.Since(0, 100); text != "caf" || next != 3 {
		t.Errorf("Since returns %q and %d", text, next)
	}
	if text := o.Tail(100); text != "caf" {
		t.Errorf("Tail returns %q", text)
	}
	if text := o.Take(); text != "caf" {
		t.Errorf("Take returns %q", text)
	}
	soon, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if o.AwaitNew(soon, nil); soon.Err() == nil {
		t.Error("half of a rune is new output")
	}
	if text, _, next := o.Since(3, 100); text != "\uFFFD" || next != 4 {
		t.Errorf("nothing but the half: %q and %d", text, next)
	}
	o.SetTaken(4)
	o.append([]byte("\xa9!"))
	o.AwaitNew(t.Context(), nil)
	if text, from, next := o.Since(o.Taken(), 100); text != "é!" || from != 3 || next != 6 {
		t.Errorf("the rest: %q, bytes %d to %d", text, from, next)
	}
	if text := o.Take(); text != "é!" {
		t.Errorf("Take returns the rest %q", text)
	}
	o.append([]byte("end\xc3"))
	close(o.done)
	if text := o.Take(); text != "end\uFFFD" {
		t.Errorf("at the end of the output, Take returns %q", text)
	}
}

// What is left out of much output is left out rune by rune.
func TestMuchOutputOfRunes(t *testing.T) {
	for lead := range 4 { // places the limits in each byte of a rune
		o := written(t, strings.Repeat("x", lead))
		for range 8 {
			o.append([]byte(strings.Repeat("😀", maxKept/16)))
		}
		oldest, _, _ := o.Since(0, 16)
		for name, text := range map[string]string{"the oldest": oldest, "Tail": o.Tail(64<<10 - lead), "Take": o.Take()} {
			_, runes, found := strings.Cut(text, "left out)\n")
			if !found {
				runes = text
			}
			if strings.Trim(runes, "😀") != "" || runes == "" {
				t.Errorf("%d: %s begins with %.20q", lead, name, runes)
			}
		}
	}
}
