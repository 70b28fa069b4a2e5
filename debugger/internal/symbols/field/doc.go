// Package field takes fields off sections of debug information: numbers of a
// fixed size, numbers as long as they need to be (DWARF 5, 7.6), blocks and text.
//
//	r := field.Reader{Data: section, Short: errShort}
//	size, name := r.ULEB(), r.Text()
//	if r.Err != nil {
//		return r.Err
//	}
//
// Numbers have the least significant byte first.
package field
