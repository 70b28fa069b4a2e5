package values

import "errors"

// Maps of programs that were built before Go 1.24 (runtime/map.go of Go 1.23).
const (
	sameSizeGrow = 8       // flag: there are as many old buckets as new ones
	minTopHash   = 5       // smaller values mark slots that are empty or have moved
	maxBuckets   = 1 << 18 // visited buckets of one map
)

// buckets visits an array of buckets of eight slots with their overflow chains.
// While the map grows, it also visits the old array, where slots that were
// already moved are marked.
func (w *mapWalk) buckets(m Object) error {
	bits, err := m.number("B")
	flags, err2 := m.number("flags")
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if bits > 48 {
		return errors.New("map is not valid")
	}
	n := uint64(1) << bits
	if err := w.row(m, "buckets", n); err != nil {
		return err
	}
	if flags&sameSizeGrow == 0 {
		n /= 2
	}
	return w.row(m, "oldbuckets", n)
}

// row visits the buckets of an array and those chained to them.
func (w *mapWalk) row(m Object, name string, n uint64) error {
	p, err := m.Member(name)
	if err != nil {
		return err
	}
	first, err := p.Uint()
	if err != nil || first == 0 {
		return err
	}
	bucket := p.Type.Strip().Elem()
	size := uint64(bucket.ByteSize())
	for i := uint64(0); i < n && w.left > 0; i++ {
		for at := first + i*size; at != 0 && w.left > 0; {
			if at, err = w.bucket(m.At(bucket, at)); err != nil {
				return err
			}
		}
	}
	return nil
}

// bucket visits the slots in use of a bucket and returns the next one of its
// chain.
func (w *mapWalk) bucket(b Object) (next uint64, err error) {
	if w.seen++; w.seen > maxBuckets {
		return 0, errors.New("map has too many buckets to be looked through")
	}
	hashes, err := b.number("tophash")
	keys, err1 := b.Member("keys")
	elems, err2 := b.Member("values")
	next, err3 := b.number("overflow")
	if err := errors.Join(err, err1, err2, err3); err != nil {
		return 0, err
	}
	for i := int64(0); i < groupSlots && w.left > 0; i++ {
		if byte(hashes>>(8*i)) < minTopHash {
			continue
		}
		key, err := keys.Index(i)
		elem, err2 := elems.Index(i)
		if err := errors.Join(err, err2); err != nil {
			return 0, err
		}
		if err := w.slot(key, elem); err != nil {
			return 0, err
		}
	}
	return next, nil
}
