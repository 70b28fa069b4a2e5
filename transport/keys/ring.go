package keys

import (
	"fmt"
	"slices"
	"time"
)

// A version names a state of the stored keys; "" is none.
type version string

// A ring is all records of one version. It is never changed, only replaced, so it needs no
// lock.
type ring struct {
	version version
	records []Record // oldest first
	slots   map[Hash]slot
}

// A slot is a token that opens a record: the index of that. A record has one or two, and those
// of its grants.
type slot struct {
	record int
}

// newRing checks and indexes records, in order of age. It drops records that are not valid, or
// have the ID or the token of an older one, so that they authenticate no client; the errors
// say why, one for each that was dropped. A file with any is refused as a whole.
func newRing(v version, records []Record) (*ring, []error) {
	records = slices.SortedFunc(slices.Values(records), byAge)
	r := &ring{version: v, slots: make(map[Hash]slot, len(records)), records: make([]Record, 0, len(records))}
	ids := make(map[string]bool, len(records))
	var errs []error
	for i := range records {
		one := &records[i]
		err := one.check()
		if err == nil && ids[one.ID] {
			err = fmt.Errorf("there are two keys %s", one.ID)
		}
		if err == nil {
			err = r.add(one)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		ids[one.ID] = true
	}
	return r, errs
}

// add indexes a record, or leaves the ring as it was.
func (r *ring) add(one *Record) error {
	hashes := one.hashes()
	for i, h := range hashes {
		if _, taken := r.slots[h]; taken || slices.Contains(hashes[:i], h) {
			return fmt.Errorf("another key has the token of %s", one.ID)
		}
	}
	for _, h := range hashes {
		r.slots[h] = slot{record: len(r.records)}
	}
	r.records = append(r.records, *one)
	return nil
}

// find returns the record of a token. The duration of the look-up in the map depends on
// bits of a hash that no client can choose; the comparison that decides takes the same
// time whether it succeeds or not.
func (r *ring) find(h Hash) (Record, bool) {
	s, ok := r.slots[h]
	if !ok {
		return Record{}, false
	}
	return r.records[s.record].openedBy(h)
}

// openedBy reports whether a token opens the record. For a token that a rotation replaced, and
// for an access token, the record expires when that token does.
func (r Record) openedBy(h Hash) (Record, bool) {
	current := r.Hash.Equal(h)
	previous := r.Previous.Equal(h) && !r.PreviousUntil.IsZero()
	if current || previous {
		if !current {
			r.expireBy(r.PreviousUntil)
		}
		return r, true
	}
	return r.grantedTo(h)
}

// expireBy makes the record expire at a time, unless it does earlier.
func (r *Record) expireBy(t time.Time) {
	if r.Expires.IsZero() || t.Before(r.Expires) {
		r.Expires = t
	}
}

// get returns the record with an ID, or a [*NotFoundError].
func (r *ring) get(id string) (Record, error) {
	i := slices.IndexFunc(r.records, func(one Record) bool { return one.ID == id })
	if i < 0 {
		return Record{}, &NotFoundError{id}
	}
	return r.records[i], nil
}

// with returns the records of the ring with one of them replaced, in a slice of its own.
func (r *ring) with(changed Record) []Record {
	records := slices.Clone(r.records)
	for i := range records {
		if records[i].ID == changed.ID {
			records[i] = changed
		}
	}
	return records
}
