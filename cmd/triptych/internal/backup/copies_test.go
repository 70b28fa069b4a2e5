package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// copyWith returns a ruleset with a revision for each length of a text.
func copyWith(lengths ...int) *ruleset.Copy {
	c := &ruleset.Copy{Name: "a", Revisions: []ruleset.Revision{}, Moves: []ruleset.LabelMove{}}
	for i, n := range lengths {
		c.Revisions = append(c.Revisions, ruleset.Revision{
			Number: i + 1, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			Content: ruleset.Ruleset{Meta: ruleset.Meta{Name: "a"}, Markdown: strings.Repeat("<", n)},
		})
	}
	return c
}

// The entry is the JSON of the whole, and is read again, with any number of revisions.
func TestCopyEntry(t *testing.T) {
	current := copyWith(3, 2, 1)
	current.Current = &ruleset.Ruleset{Meta: ruleset.Meta{Name: "a"}, Markdown: "<"}
	current.Moves = append(current.Moves, ruleset.LabelMove{Label: "stable", To: 1}, ruleset.LabelMove{Label: "stable", To: 2})
	for _, c := range []*ruleset.Copy{copyWith(1), current} {
		want, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		text, err := encodeCopy(c, entryLimits)
		if err != nil || string(text) != string(want)+"\n" {
			t.Errorf("got %s, %v\nwant %s", text, err, want)
		}
		again, err := decodeCopy(bytes.NewReader(text), entryLimits)
		var whole ruleset.Copy
		if plain := json.Unmarshal(want, &whole); err != nil || plain != nil || !reflect.DeepEqual(again, whole) {
			t.Errorf("got %+v, %v, %v\nwant %+v", again, err, plain, whole)
		}
	}
}

// All that can be written can be read, at each limit of a revision and of the whole. A history
// is longer than a revision may be.
func TestCopyLimits(t *testing.T) {
	c := copyWith(10, 3000, 20, 3000, 3000)
	whole, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	largest, err := json.Marshal(c.Revisions[1])
	if err != nil {
		t.Fatal(err)
	}
	total, part := int64(len(whole)+1), int64(len(largest))
	text, err := encodeCopy(c, copyLimits{total, part})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decodeCopy(bytes.NewReader(text), copyLimits{total, part}); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	for what, limits := range map[string]copyLimits{"a revision": {total, part - 1}, "its history": {total - 1, part}} {
		if _, err := encodeCopy(c, limits); err == nil || !strings.HasPrefix(err.Error(), what+" has ") {
			t.Errorf("%s beyond the limit: %v", what, err)
		}
	}
	for _, limits := range []copyLimits{{total, part / 2}, {total / 2, part}} {
		if _, err := decodeCopy(bytes.NewReader(text), limits); !isSize(err) {
			t.Errorf("limits %+v: read with %v", limits, err)
		}
	}
}

func isSize(err error) bool {
	_, ok := errors.AsType[*sizeError](err)
	return ok
}

// What is no entry of a ruleset is an error.
func TestNoCopy(t *testing.T) {
	for _, text := range []string{"", "[]", "{", `{"Name":"a"`, `{"Name":"a"} {}`, `{"Other":1}`, `{"Revisions":{}}`, `{"Moves":[`} {
		if c, err := decodeCopy(strings.NewReader(text), entryLimits); err == nil {
			t.Errorf("%q: got %+v", text, c)
		}
	}
}

// An element that cannot be read again is not written.
func TestArrayLimit(t *testing.T) {
	for size, ok := range map[int]bool{maxElementSize - 2: true, maxElementSize - 1: false} {
		var file bytes.Buffer
		w := newWriter(&file)
		err := writeArray(w, keysEntry, []string{strings.Repeat("x", size)})
		if (err == nil) != ok || !ok && !strings.Contains(err.Error(), "an element of keys.json has") {
			t.Errorf("%d: %v", size, err)
		}
	}
	text := `["` + strings.Repeat("x", maxElementSize-2) + `","y"]`
	n := 0
	for some, err := range elements[string](strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		n += len(some)
	}
	if n != 2 {
		t.Errorf("%d elements were read", n)
	}
}
