package values

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// maxControl limits the control bytes of a hash table that are read.
const maxControl = 1 << 22

// hashTable shows a HashMap or HashSet, whose hashbrown RawTable is at a path.
// The table has a control byte for each slot, with the highest bit clear if the
// slot is in use. The elements are stored before the control bytes, in reverse
// order.
func hashTable(path string, isMap bool) showFunc {
	return func(r *renderer, o Object, depth, pointers int) (content, error) {
		raw, err := o.down(path)
		if err != nil {
			return content{}, err
		}
		elem := raw.Type.TemplateArg(0)
		mask, err := raw.number("table", "bucket_mask")
		items, err1 := raw.number("table", "items")
		control, err2 := raw.number("table", "ctrl", "pointer")
		if err := errors.Join(err, err1, err2); err != nil || elem == nil {
			return content{}, errors.Join(err, errors.New("table is not valid"))
		}
		places, err := usedPlaces(o.View.Memory, control, mask, min(items, uint64(r.limits.Elements)))
		if err != nil {
			return content{}, err
		}
		var entries []entry
		for _, i := range places { // pairs; in a set the second is ()
			e, err := pairOf(o.At(elem, control-(i+1)*uint64(elem.ByteSize())), "__0", "__1")
			if err != nil {
				return content{}, err
			}
			entries = append(entries, e)
		}
		return r.entries(styles[lang.Rust], entries, items, isMap, depth, pointers), nil
	}
}

// usedPlaces returns the indices of the first want slots in use.
func usedPlaces(m symbols.Memory, control, mask, want uint64) ([]uint64, error) {
	if mask >= 1<<40 {
		return nil, errors.New("table is not valid")
	}
	var out []uint64
	chunk := make([]byte, 256)
	for at := uint64(0); at <= mask && uint64(len(out)) < want; at += uint64(len(chunk)) {
		if at > maxControl {
			return nil, errors.New("table has too many places to be looked through")
		}
		chunk = chunk[:min(uint64(len(chunk)), mask+1-at)]
		if err := m.ReadMemory(control+at, chunk); err != nil {
			return nil, err
		}
		for i, c := range chunk {
			if c&0x80 == 0 && uint64(len(out)) < want {
				out = append(out, at+uint64(i))
			}
		}
	}
	return out, nil
}
