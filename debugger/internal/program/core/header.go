package core

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
)

// Sizes and limits of ELF headers.
const (
	headerSize  = 64
	segmentSize = 56
	sectionSize = 64
	// maxSegments is four times the mappings that Linux lets a process have
	// unless it is told otherwise.
	maxSegments = 1 << 18
)

// machines names the machines whose core files may be opened by mistake.
var machines = map[elf.Machine]string{
	elf.EM_386: "a 32-bit program", elf.EM_AARCH64: "arm64", elf.EM_RISCV: "RISC-V",
	elf.EM_PPC64: "POWER", elf.EM_S390: "s390x", elf.EM_ARM: "arm",
}

// packers are programs that make files which are core files once unpacked, by
// how their files begin.
var packers = map[string]string{
	"\x28\xb5\x2f\xfd": "zstd", "\x1f\x8b": "gzip", "\x04\x22\x4d\x18": "lz4", "\xfd7zXZ": "xz", "BZh": "bzip2",
}

// notELF says what a file is instead, if it looks like a core file at all.
func notELF(start []byte) error {
	for magic, packer := range packers {
		if bytes.HasPrefix(start, []byte(magic)) {
			return malformed("it is packed with %s; unpack it first", packer)
		}
	}
	return malformed("it is no ELF file")
}

// readHeader reads the first header of an ELF file for amd64.
func readHeader(r io.ReaderAt) (elf.Header64, error) {
	var h elf.Header64
	if err := readStruct(r, 0, &h); err != nil || string(h.Ident[:4]) != elf.ELFMAG {
		return h, notELF(h.Ident[:])
	}
	if elf.Class(h.Ident[elf.EI_CLASS]) != elf.ELFCLASS64 || elf.Data(h.Ident[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return h, malformed("it is not of a 64-bit little-endian machine")
	}
	switch machine := elf.Machine(h.Machine); {
	case machines[machine] != "":
		return h, malformed("it is of %s", machines[machine])
	case machine != elf.EM_X86_64:
		return h, malformed("it is of another machine, %v", machine)
	case h.Phnum > 0 && h.Phentsize != segmentSize:
		return h, malformed("its program headers have %d bytes", h.Phentsize)
	}
	return h, nil
}

// readCoreHeader reads the first header of a core file.
func readCoreHeader(r io.ReaderAt) (elf.Header64, error) {
	h, err := readHeader(r)
	if err != nil {
		return h, err
	}
	switch elf.Type(h.Type) {
	case elf.ET_CORE:
		return h, nil
	case elf.ET_EXEC, elf.ET_DYN:
		return h, malformed("it is a program or library")
	}
	return h, malformed("it is an ELF file of another kind")
}

// manySegments in a header says that their number is elsewhere.
const manySegments = 0xffff

// What a segment, a mapped file and a thread take, with the ranges of memory that they become.
const listedCost = 1 << 10

// readSegments reads the program headers. They must all be there.
func readSegments(r io.ReaderAt, h *elf.Header64, memory *budget.Account) ([]elf.Prog64, error) {
	n := uint64(h.Phnum)
	if n == manySegments {
		var first elf.Section64
		if err := readStruct(r, h.Shoff, &first); err != nil {
			return nil, malformed("its section header cannot be read: %v", err)
		}
		n = uint64(first.Info)
	}
	if n > maxSegments {
		return nil, malformed("it has %d segments", n)
	}
	var all []elf.Prog64
	for at := h.Phoff; n > 0; n-- { // one by one: the file may end before
		var p elf.Prog64
		if err := memory.Take(listedCost); err != nil {
			return nil, err
		}
		if err := readStruct(r, at, &p); err != nil {
			return nil, malformed("its program headers cannot be read: %v", err)
		}
		all, at = append(all, p), at+segmentSize
	}
	return all, nil
}

// readStruct reads a structure of fixed size.
func readStruct(r io.ReaderAt, at uint64, into any) error {
	b := make([]byte, binary.Size(into))
	if err := readAll(r, at, b); err != nil {
		return err
	}
	_, err := binary.Decode(b, binary.LittleEndian, into)
	return err
}

// readAll reads all of b, or fails.
func readAll(r io.ReaderAt, at uint64, b []byte) error {
	if at > 1<<62 {
		return io.ErrUnexpectedEOF
	}
	n, err := r.ReadAt(b, int64(at))
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("at %#x: %w", at, err)
}
