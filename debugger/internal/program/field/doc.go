// Package field reads fields of sections of debug information: numbers of a
// fixed size, numbers of variable length (LEB128, DWARF 5 section 7.6), blocks and text.
//
//	r := field.Reader{Data: section, Short: errShort}
//	size, name := r.ULEB(), r.Text()
//	if r.Err != nil {
//		return r.Err
//	}
//
// Numbers have the least significant byte first.
package field
