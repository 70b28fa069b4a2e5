package inplace

import (
	"fmt"
	"os"
	"strconv"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

const pageSize = 1 << 12

// code is a copy of the program's code, as far as it has been fetched.
type code struct {
	memory *ptrace.Memory
	pid    int
	maps   procfs.Maps // nil if they must be read again
	pages  map[uint64]*[pageSize]byte

	last       *[pageSize]byte // the page that was used last, or nil
	lastNumber uint64

	variable map[uint64]bool // numbers of pages of which fetchVariable has read code
}

// drop forgets the copy.
func (c *code) drop() { c.maps, c.pages, c.last, c.variable = nil, nil, nil, nil }

// dropMaps forgets the maps, and which pages are not to be translated.
func (c *code) dropMaps() {
	c.maps = nil
	for number, page := range c.pages {
		if page == nil {
			delete(c.pages, number)
		}
	}
}

func (c *code) readMaps() (procfs.Maps, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(c.pid) + "/maps")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return procfs.ParseMaps(f)
}

// fetch copies code that cannot change unnoticed, see translate.Fetcher.
func (c *code) fetch(addr uint64, b []byte) int {
	done := 0
	for done < len(b) {
		page := c.page((addr + uint64(done)) / pageSize)
		if page == nil {
			break
		}
		done += copy(b[done:], page[(addr+uint64(done))%pageSize:])
	}
	return done
}

// page returns a page of code, or nil if it is not to be translated.
func (c *code) page(number uint64) *[pageSize]byte {
	if c.last != nil && c.lastNumber == number {
		return c.last
	}
	if p, ok := c.pages[number]; ok {
		c.last, c.lastNumber = p, number
		return p
	}
	if c.pages == nil {
		c.pages = make(map[uint64]*[pageSize]byte)
	}
	p := c.read(number * pageSize)
	c.pages[number] = p
	return p
}

// fetchVariable copies code that the program may write, see translate.Request.
func (c *code) fetchVariable(addr uint64, b []byte) int {
	n := 0
	for n < len(b) {
		m, ok := c.find(addr + uint64(n))
		if !ok || !m.Execute || m.Shared {
			break
		}
		n = min(len(b), n+int(m.End-addr-uint64(n)))
	}
	if n == 0 {
		return 0
	}
	if c.variable == nil {
		c.variable = make(map[uint64]bool)
	}
	c.variable[addr/pageSize], c.variable[(addr+uint64(n)-1)/pageSize] = true, true
	read, _ := c.memory.Read(addr, b[:n])
	return read
}

// copied reports whether there is code in a range of memory that is translated, or was
// looked at for that.
func (c *code) copied(start, length uint64) bool {
	first, last := start/pageSize, (start+max(length, 1)-1)/pageSize
	if last-first < uint64(len(c.pages)+len(c.variable)) {
		for number := first; number <= last; number++ {
			if c.pages[number] != nil || c.variable[number] {
				return true
			}
		}
		return false
	}
	for number, page := range c.pages {
		if page != nil && first <= number && number <= last {
			return true
		}
	}
	for number := range c.variable {
		if first <= number && number <= last {
			return true
		}
	}
	return false
}

// find returns the mapping with an address.
func (c *code) find(addr uint64) (procfs.Map, bool) {
	if c.maps == nil {
		c.maps, _ = c.readMaps() // without them nothing is translated
	}
	return c.maps.Find(addr)
}

// writable reports whether the program may write between two addresses.
func (c *code) writable(start, end uint64) bool {
	m, ok := c.find(start)
	return ok && m.Write && start < end && end <= m.End
}

func (c *code) read(addr uint64) *[pageSize]byte {
	m, ok := c.find(addr)
	if !ok || !m.Execute || m.Write || m.Shared {
		return nil
	}
	p := new([pageSize]byte)
	if _, err := c.memory.Read(addr, p[:]); err != nil {
		return nil
	}
	return p
}

// SyscallSite returns the address of a syscall instruction in the vdso of a process.
func SyscallSite(pid int) (uint64, error) {
	memory, err := ptrace.OpenMemory(pid)
	if err != nil {
		return 0, err
	}
	defer func() { _ = memory.Close() }()
	vdso, err := findVDSO(pid)
	if err != nil {
		return 0, err
	}
	at, ok := memory.FindSyscall(vdso.Start, vdso.End)
	if !ok {
		return 0, fmt.Errorf("the vdso of process %d has no syscall instruction", pid)
	}
	return at, nil
}

// findVDSO returns the mapping of the vdso of a process.
func findVDSO(pid int) (procfs.Map, error) {
	c := code{pid: pid}
	maps, err := c.readMaps()
	if err != nil {
		return procfs.Map{}, err
	}
	for _, m := range maps {
		if m.Path == "[vdso]" {
			return m, nil
		}
	}
	return procfs.Map{}, fmt.Errorf("process %d has no vdso", pid)
}
