package gdbremote

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"encoding/xml"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// maxLibraries limits the loader's list, which the process may have corrupted.
const maxLibraries = 4096

// A linkMap is an entry of the loader's list, struct link_map of link.h.
type linkMap struct{ Base, Name, Dynamic, Next, Prev uint64 }

// libraries returns the loader's list of shared libraries (section E.6), which is
// empty before the loader has run.
func (ob *objects) libraries(string) ([]byte, error) {
	type item struct {
		XMLName xml.Name `xml:"library"`
		Name    string   `xml:"name,attr"`
		Entry   string   `xml:"lm,attr"`
		Base    string   `xml:"l_addr,attr"`
		Dynamic string   `xml:"l_ld,attr"`
		Space   string   `xml:"lmid,attr"` // of dlmopen; only the first namespace is listed
	}
	list := struct {
		XMLName xml.Name `xml:"library-list-svr4"`
		Version string   `xml:"version,attr"`
		Main    string   `xml:"main-lm,attr,omitempty"`
		All     []item
	}{Version: "1.0"}
	at := ob.firstLibrary()
	for n := 0; at != 0 && n < maxLibraries; n++ {
		var m linkMap
		if !ob.read64(at, &m) {
			break
		}
		if n == 0 {
			list.Main = fmt.Sprintf("%#x", at)
		} else if name := ob.text(m.Name); name != "" {
			list.All = append(list.All, item{
				Name: name, Entry: fmt.Sprintf("%#x", at), Base: fmt.Sprintf("%#x", m.Base), Dynamic: fmt.Sprintf("%#x", m.Dynamic), Space: "0x0",
			})
		}
		at = m.Next
	}
	return xml.Marshal(list)
}

// firstLibrary returns the address of the first entry, that of the program, or 0
// if there is none yet. The loader's struct r_debug has it.
func (ob *objects) firstLibrary() uint64 {
	entry, at := ob.debugEntry()
	var debug struct{ Version, First uint64 }
	if at == 0 || entry.Val == 0 || !ob.read64(entry.Val, &debug) {
		return 0
	}
	return debug.First
}

// debugEntry returns the entry of the program's dynamic section in which the loader
// stores the address of its struct r_debug, and where the entry is, 0 if it has none.
func (ob *objects) debugEntry() (entry elf.Dyn64, at uint64) {
	auxv, _ := ob.auxv("") // without it there is no list
	headers, _ := ptrace.Auxiliary(auxv, auxHeaders)
	count, _ := ptrace.Auxiliary(auxv, auxHeaderCount)
	dynamic, ok := ob.dynamicSection(headers, count)
	for ; ok; dynamic += uint64(binary.Size(entry)) {
		if !ob.read64(dynamic, &entry) || elf.DynTag(entry.Tag) == elf.DT_NULL {
			break
		}
		if elf.DynTag(entry.Tag) == elf.DT_DEBUG {
			return entry, dynamic
		}
	}
	return entry, 0
}

// libraryInfo handles qShlibInfoAddr, an extension of lldb. It returns where the program has
// the address of the loader's struct r_debug. With the list alone lldb does not notice
// libraries that are loaded later.
func (ob *objects) libraryInfo(ctx context.Context, _ string) ([]byte, error) {
	return ob.client.inside(ctx, func() ([]byte, error) {
		entry, at := ob.debugEntry()
		if at == 0 {
			return []byte{}, nil
		}
		return fmt.Appendf(nil, "%x", at+uint64(binary.Size(entry.Tag))), nil
	})
}

// dynamicSection finds the dynamic section in the program headers.
func (ob *objects) dynamicSection(headers, count uint64) (addr uint64, ok bool) {
	var bias uint64
	for i := range min(count, 1<<16) {
		var h elf.Prog64
		if !ob.read64(headers+i*uint64(binary.Size(h)), &h) {
			return 0, false
		}
		switch elf.ProgType(h.Type) {
		case elf.PT_PHDR:
			bias = headers - h.Vaddr
		case elf.PT_DYNAMIC:
			return bias + h.Vaddr, true // PT_PHDR precedes other headers
		}
	}
	return 0, false
}

// read64 reads a structure of little-endian numbers.
func (ob *objects) read64(addr uint64, to any) bool {
	b := make([]byte, binary.Size(to))
	if n, _ := ob.client.s.Target.View.ReadMemory(addr, b); n < len(b) {
		return false
	}
	return binary.Read(bytes.NewReader(b), binary.LittleEndian, to) == nil
}

// maxPath is the maximum length of a path.
const maxPath = 4096

// text reads a string that ends in a zero byte.
func (ob *objects) text(addr uint64) string {
	b := make([]byte, maxPath)
	n, _ := ob.client.s.Target.View.ReadMemory(addr, b) // a mapping may end before
	text, _, _ := bytes.Cut(b[:n], []byte{0})
	return string(text)
}
