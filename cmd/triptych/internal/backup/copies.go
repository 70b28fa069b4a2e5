package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// copyLimits are the limits of the entry of a ruleset.
type copyLimits struct {
	total int64
	part  int64 // of one revision, which JSON can make six times as long as its text
}

var entryLimits = copyLimits{total: maxRulesetSize, part: maxRevisionSize}

// encodeCopy returns the entry of a ruleset: the bytes of [json.Marshal], and a line end.
// What decodeCopy would refuse is an error here.
func encodeCopy(c *ruleset.Copy, limits copyLimits) ([]byte, error) {
	e := &partEncoder{limits: limits}
	e.text(`{"Name":`).part(c.Name).text(`,"Current":`).part(c.Current)
	e.text(`,"Revisions":[`)
	for i := range c.Revisions {
		e.comma(i).part(&c.Revisions[i])
	}
	e.text(`],"Moves":[`)
	for i := range c.Moves {
		e.comma(i).part(&c.Moves[i])
	}
	e.text("]}\n")
	return e.out.Bytes(), e.err
}

// A partEncoder writes an object part by part, until the first error.
type partEncoder struct {
	limits copyLimits
	out    bytes.Buffer
	err    error
}

func (e *partEncoder) text(s string) *partEncoder {
	if e.err == nil {
		e.err = within("its history", int64(e.out.Len()+len(s)), e.limits.total)
	}
	if e.err == nil {
		e.out.WriteString(s)
	}
	return e
}

func (e *partEncoder) comma(before int) *partEncoder {
	if before == 0 {
		return e
	}
	return e.text(",")
}

func (e *partEncoder) part(value any) *partEncoder {
	if e.err != nil {
		return e
	}
	text, err := json.Marshal(value)
	if e.err = err; err == nil {
		e.err = within("a revision", int64(len(text)), e.limits.part)
	}
	return e.text(string(text))
}

// decodeCopy reads the entry of a ruleset, one revision at a time: of its JSON no more than
// one of them is in memory.
func decodeCopy(content io.Reader, limits copyLimits) (c ruleset.Copy, err error) {
	all := &boundedReader{r: content, what: "a ruleset", limit: limits.total}
	all.next()
	part := &boundedReader{r: all, what: "a revision", limit: limits.part}
	d := &partDecoder{json.NewDecoder(part), part}
	part.next()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return c, errors.Join(err, errors.New("this is no ruleset"))
	}
	for d.More() {
		if err := d.field(&c); err != nil {
			return c, err
		}
	}
	if _, err := d.Token(); err != nil {
		return c, err
	}
	part.next()
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return c, errors.Join(err, errors.New("there is more than a ruleset"))
	}
	return c, nil
}

// A partDecoder reads an object part by part.
type partDecoder struct {
	*json.Decoder

	bounded *boundedReader
}

// field reads a field of a ruleset.
func (d *partDecoder) field(c *ruleset.Copy) error {
	d.bounded.next()
	name, err := d.Token()
	if err != nil {
		return err
	}
	switch name {
	case "Name":
		return d.part(&c.Name)
	case "Current":
		return d.part(&c.Current)
	case "Revisions":
		c.Revisions, err = list[ruleset.Revision](d)
	case "Moves":
		c.Moves, err = list[ruleset.LabelMove](d)
	default:
		return fmt.Errorf("a ruleset has no %q", name)
	}
	return err
}

func (d *partDecoder) part(value any) error {
	d.bounded.next()
	return d.Decode(value)
}

// list reads an array.
func list[T any](d *partDecoder) ([]T, error) {
	if open, err := d.Token(); err != nil || open != json.Delim('[') {
		return nil, errors.Join(err, errors.New("this is no array"))
	}
	all := []T{}
	for d.More() {
		var one T
		if err := d.part(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	_, err := d.Token()
	return all, err
}
