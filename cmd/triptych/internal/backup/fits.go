package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A ConflictError reports data in a target that are not in the backup.
type ConflictError struct {
	Entry string // that the target has, or has in another form
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("there are data already, such as %s: a backup is restored where there are none, or only such as it has", e.Entry)
}

// Fits returns a [*ConflictError] if a backup cannot be restored over what is there.
func Fits(ctx context.Context, from io.ReadSeeker, there Source, m *Manifest) error {
	_, err := there.fits(ctx, from, m)
	return err
}

// fits returns the names of the entries that are there as they are in the backup. Of keys,
// counts and consumers there may be a part, which a restore that was cut off has left.
func (s Source) fits(ctx context.Context, from io.ReadSeeker, m *Manifest) (map[string]bool, error) {
	now, err := Write(ctx, io.Discard, s)
	if err != nil {
		return nil, err
	}
	same, partial := map[string]bool{}, map[string]bool{}
	for _, e := range now.Entries {
		switch {
		case slices.Contains(m.Entries, e):
			same[e.Name] = true
		case isArray(e.Name) && slices.ContainsFunc(m.Entries, func(has Entry) bool { return has.Name == e.Name }):
			partial[e.Name] = true
		default:
			return nil, &ConflictError{e.Name}
		}
	}
	if len(partial) == 0 {
		return same, nil
	}
	if err := rewind(from); err != nil {
		return nil, err
	}
	return same, each(from, func(name string, content io.Reader) error {
		if !partial[name] {
			return nil
		}
		return s.contained(ctx, name, content)
	}, nil)
}

// isArray reports whether an entry is an array, of which a target may have a part.
func isArray(name string) bool { return !strings.Contains(name, "/") }

// rewind goes to the beginning of a backup.
func rewind(from io.Seeker) error {
	_, err := from.Seek(0, io.SeekStart)
	return err
}

// contained returns a [*ConflictError] unless all elements that are there are in an array of a
// backup. Counts must only be of the same keys: they are raised, and repeating that changes
// nothing.
func (s Source) contained(ctx context.Context, name string, content io.Reader) error {
	identity := func(element json.RawMessage) (string, error) { return string(element), nil }
	if name == countsEntry {
		identity = func(element json.RawMessage) (string, error) {
			var count struct{ Key string }
			err := json.Unmarshal(element, &count)
			return count.Key, err
		}
	}
	has, err := identities(content, identity)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	text, err := s.array(ctx, name)
	if err != nil {
		return err
	}
	there, err := identities(bytes.NewReader(text), identity)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for one := range there {
		if !has[one] {
			return &ConflictError{name}
		}
	}
	return nil
}

// identities returns what identifies the elements of an array.
func identities(content io.Reader, of func(json.RawMessage) (string, error)) (map[string]bool, error) {
	all := map[string]bool{}
	for some, err := range elements[json.RawMessage](content) {
		if err != nil {
			return nil, err
		}
		for _, element := range some {
			one, err := of(element)
			if err != nil {
				return nil, err
			}
			all[one] = true
		}
	}
	return all, nil
}

// array returns the array that the source has for an entry.
func (s Source) array(ctx context.Context, name string) ([]byte, error) {
	switch name {
	case keysEntry:
		all, err := s.Keys.List(ctx)
		return marshal(all, err)
	case countsEntry:
		all, err := s.Counts(ctx)
		return marshal(all, err)
	}
	all, err := s.Consumers.All(ctx)
	return marshal(all, err)
}

func marshal(value any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}
