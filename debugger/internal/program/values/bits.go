package values

// A Place is the memory that an object is in.
type Place struct {
	Address uint64
	Size    int64 // bytes; those that a bit-field has a part in
	// Mask has the bits of a bit-field; nil for all bits.
	Mask []byte
	// Shared are the names of other bit-fields that have bits in the same bytes.
	Shared []string
}

// Place returns the memory that the object is in, and false if it is not in memory.
func (o Object) Place() (Place, bool) {
	addr, ok := o.Address()
	if !ok {
		return Place{}, false
	}
	p := Place{Address: addr, Size: o.Size()}
	if o.bits.size == 0 {
		return p, true
	}
	p.Mask = o.bits.mask()
	p.Size = int64(len(p.Mask))
	p.Shared = o.bits.neighbours()
	return p, true
}

// mask has the bits of the field, nil for what is not a bit-field.
func (b bitField) mask() []byte {
	if b.size == 0 {
		return nil
	}
	mask := make([]byte, (b.start+b.size+7)/8)
	for bit := b.start; bit < b.start+b.size; bit++ {
		mask[bit/8] |= 1 << (bit % 8)
	}
	return mask
}

// neighbours returns the names of the other bit-fields of the structure that share bytes
// with this one.
func (b bitField) neighbours() (names []string) {
	if b.owner == nil {
		return nil
	}
	first, last := b.at>>3, (b.at+b.size-1)>>3
	fields := b.owner.Fields()
	for i := range fields {
		f := &fields[i]
		if f.BitSize > 0 && f.BitStart != b.at && f.BitStart>>3 <= last && (f.BitStart+f.BitSize-1)>>3 >= first && f.Name != "" {
			names = append(names, f.Name)
		}
	}
	return names
}
