package gdbremote

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Keys of the auxiliary vector (getauxval(3)) that package ptrace does not
// define.
const (
	auxNull           = 0
	auxHeaders        = 3
	auxHeaderSize     = 4
	auxHeaderCount    = 5
	auxPageSize       = 6
	pageSize          = 4096
	interpreterPrefix = "ld-" // start of the names of glibc's and musl's loaders
)

// auxv returns the auxiliary vector: that of the process, that in the core file,
// or for a trace the entries that follow from the mappings.
func (ob *objects) auxv(string) ([]byte, error) {
	if ob.client.s.Target.Process != nil {
		return ob.client.s.Target.Process.AuxV()
	}
	if file, ok := ob.client.s.Target.View.(interface{ AuxV() []byte }); ok {
		return file.AuxV(), nil
	}
	return ob.traceAuxV()
}

// traceAuxV returns the entries by which clients find the program and its loader.
func (ob *objects) traceAuxV() ([]byte, error) {
	maps, err := ob.client.s.Target.View.Maps()
	if err != nil {
		return nil, err
	}
	program, loader, vdso := uint64(0), uint64(0), uint64(0)
	for _, m := range maps {
		switch {
		case program == 0 && m.Path == ob.client.s.Target.Executable():
			program = m.Start
		case loader == 0 && strings.HasPrefix(filepath.Base(m.Path), interpreterPrefix):
			loader = m.Start
		case m.Path == "[vdso]":
			vdso = m.Start
		}
	}
	header, err := ob.elfHeader(program)
	if err != nil {
		return nil, err
	}
	bias := program
	if elf.Type(header.Type) != elf.ET_DYN {
		bias = 0
	}
	var b []byte
	for _, entry := range [][2]uint64{
		{ptrace.AuxVDSO, vdso}, {auxPageSize, pageSize},
		{auxHeaders, program + header.Phoff}, {auxHeaderSize, uint64(header.Phentsize)}, {auxHeaderCount, uint64(header.Phnum)},
		{ptrace.AuxBase, loader}, {ptrace.AuxEntry, bias + header.Entry}, {auxNull, 0},
	} {
		if entry[1] == 0 && entry[0] != auxNull { // lldb reads a vdso at 0
			continue
		}
		b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, entry[0]), entry[1])
	}
	return b, nil
}

// elfHeader reads the header of a mapped file.
func (ob *objects) elfHeader(addr uint64) (elf.Header64, error) {
	var header elf.Header64
	b := make([]byte, binary.Size(header))
	if n, err := ob.client.s.Target.View.ReadMemory(addr, b); n < len(b) {
		return header, errors.Join(errors.New("the program's header cannot be read"), err)
	}
	err := binary.Read(bytes.NewReader(b), binary.LittleEndian, &header)
	return header, err
}
