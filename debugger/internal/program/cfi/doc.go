// Package cfi reads call frame information: for an address in the code it
// gives the rules by which the caller's registers are found.
//
// Compilers write that information as small programs, one for each function, in
// .eh_frame (System V ABI, Linux Standard Base 5.0 section 10.6) and .debug_frame
// (DWARF 5 section 6.4). A [Table] holds one such section. [Table.Row] runs the
// program for an address and returns a [Row]: a rule for the canonical frame
// address, the CFA, and one for each register that can be found again.
//
//	t := cfi.New(cfi.Section{Data: eh, Addr: addr, EH: true, Hdr: hdr, HdrAddr: hdrAddr})
//	row, err := t.Row(pc)
//
// Addresses are file addresses: callers subtract the difference to those in the
// process. Where the linker left its sorted table (.eh_frame_hdr), a row
// costs a binary search in it and nothing is read beforehand; otherwise the first
// call lists the section once.
//
// # Concurrency
//
// A Table may be used from several goroutines at once.
//
// # Errors
//
// [ErrNotCovered] is returned for addresses of no function. All other errors mean a
// damaged section. No input makes this package panic or run long.
package cfi
