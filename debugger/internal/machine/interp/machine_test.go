package interp_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/interp"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Pages of the tests below.
const (
	codePage = 0x400000
	dataPage = 0x500000
	readOnly = 0x600000
)

// pages is a Source of three pages and counts how often it was asked.
type pages struct {
	code  []byte
	loads int
}

func (p *pages) Load(addr uint64, page *interp.Page) bool {
	p.loads++
	switch addr {
	case codePage:
		copy(page.Data[:], p.code)
		page.Executable, page.Writable = true, true
	case dataPage:
		page.Writable = true
	case readOnly:
	default:
		return false
	}
	return true
}

func newMachine(code ...byte) (*interp.Machine, *pages) {
	p := &pages{code: code}
	m := interp.New(p)
	m.RIP = codePage
	m.GPR[x86.RSP] = dataPage + 0x800
	m.GPR[x86.RDI] = dataPage
	m.Flags = 0x202
	return m, p
}

func TestLoop(t *testing.T) {
	// sum of 1 to 100: xor eax, eax; mov ecx, 100; add eax, ecx; dec ecx; jne; syscall
	m, _ := newMachine(0x31, 0xc0, 0xb9, 100, 0, 0, 0, 0x01, 0xc8, 0xff, 0xc9, 0x75, 0xfa, 0x0f, 0x05)
	steps := m.Run(1000)
	if want := 2 + 3*100; steps != want {
		t.Errorf("%d steps, want %d", steps, want)
	}
	if m.GPR[x86.RAX] != 5050 || m.RIP != codePage+13 {
		t.Errorf("rax %d, rip %x", m.GPR[x86.RAX], m.RIP)
	}
}

func TestWritesAndUndo(t *testing.T) {
	// mov qword ptr [rdi], 7; push rdi; xchg [rdi], rsp
	m, _ := newMachine(0x48, 0xc7, 0x07, 7, 0, 0, 0, 0x57, 0x48, 0x87, 0x27)
	want := [][]interp.Write{
		{{Addr: dataPage, Old: 0, Size: 8}},
		{{Addr: dataPage + 0x7f8, Old: 0, Size: 8}},
		{{Addr: dataPage, Old: 7, Size: 8}},
	}
	for n, w := range want {
		if !m.Step() {
			t.Fatalf("step %d was given up", n)
		}
		if !slices.Equal(m.Writes(), w) {
			t.Errorf("step %d: got %+v, want %+v", n, m.Writes(), w)
		}
	}
	if m.GPR[x86.RSP] != 7 || m.Changed() != 1<<x86.RSP {
		t.Errorf("rsp %x, changed %x", m.GPR[x86.RSP], m.Changed())
	}
	m.Undo()
	m.Dirty(func(addr uint64, page *interp.Page) {
		if addr == dataPage && page.Data[0] != 7 {
			t.Errorf("after Undo there is %d", page.Data[0])
		}
	})
}

func TestGivesUp(t *testing.T) {
	tests := []struct {
		name string
		code []byte
		set  func(m *interp.Machine)
	}{
		{"system call", []byte{0x0f, 0x05}, nil},
		{"vector", []byte{0x0f, 0x28, 0xc1}, nil},
		{"unknown", []byte{0x0f, 0x04}, nil},
		{"no page to read", []byte{0x48, 0x8b, 0x00}, nil},
		{"page that may not be written", []byte{0x48, 0x89, 0x00}, func(m *interp.Machine) { m.GPR[x86.RAX] = readOnly }},
		{"write that ends in a page that is not there", []byte{0x48, 0x89, 0x00}, func(m *interp.Machine) { m.GPR[x86.RAX] = dataPage + 0xffc }},
		{"pop to where nothing may be written", []byte{0x8f, 0x00}, func(m *interp.Machine) { m.GPR[x86.RAX] = readOnly }},
		{"push without a stack", []byte{0x50}, func(m *interp.Machine) { m.GPR[x86.RSP] = 0 }},
		{"division by zero", []byte{0x48, 0xf7, 0xf1}, nil},
		{"quotient that does not fit", []byte{0x48, 0xf7, 0xf1}, func(m *interp.Machine) { m.GPR[x86.RCX], m.GPR[x86.RDX] = 1, 1 }},
		{"jump to no address", []byte{0xff, 0xe0}, func(m *interp.Machine) { m.GPR[x86.RAX] = 1 << 47 }},
		{"lock on a register", []byte{0xf0, 0x01, 0xc0}, nil},
		{"lock on what cannot have it", []byte{0xf0, 0x88, 0x07}, nil},
		{"code that is not executable", nil, func(m *interp.Machine) { m.RIP = dataPage }},
		{"code that is not there", nil, func(m *interp.Machine) { m.RIP = 0 }},
		{"code that runs over the end", nil, func(m *interp.Machine) { m.RIP = codePage + interp.PageSize - 1 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code := make([]byte, interp.PageSize)
			copy(code, tt.code)
			m, _ := newMachine(code...)
			if tt.set != nil {
				tt.set(m)
			}
			before := m.State
			if m.Step() {
				t.Error("was executed")
			}
			if m.State != before || len(m.Writes()) != 0 || m.Changed() != 0 {
				t.Errorf("something changed: %+v", m.State)
			}
			m.Dirty(func(addr uint64, _ *interp.Page) { t.Errorf("page %x is dirty", addr) })
		})
	}
}

// TestOwnCode has a program change an instruction that was executed before.
func TestOwnCode(t *testing.T) {
	// mov al, 1; mov byte ptr [rip-8], 2; jmp to the start
	m, _ := newMachine(0xb0, 1, 0xc6, 0x05, 0xf8, 0xff, 0xff, 0xff, 2, 0xeb, 0xf5)
	if n := m.Run(4); n != 4 {
		t.Fatalf("%d steps", n)
	}
	if got := m.GPR[x86.RAX] & 0xff; got != 2 {
		t.Errorf("al is %d: the old instruction was executed", got)
	}
}

func TestForget(t *testing.T) {
	m, p := newMachine(0x90, 0x90, 0x90)
	m.Run(2)
	if p.loads != 1 {
		t.Errorf("%d pages loaded, want 1", p.loads)
	}
	p.code[2] = 0xf4
	m.DropPages()
	if m.Step() {
		t.Error("executed what was there before Forget")
	}
}

func TestFlushAndRefresh(t *testing.T) {
	// mov byte ptr [rdi+5], 7; mov al, [rdi+6]; mov bl, [rdi+0x1000]
	m, p := newMachine(0xc6, 0x47, 5, 7, 0x8a, 0x47, 6, 0x8a, 0x9f, 0, 0x10, 0, 0)
	m.Run(1)
	refuse := errors.New("refused")
	if err := m.Flush(func(uint64, []byte) error { return refuse }); !errors.Is(err, refuse) {
		t.Errorf("got %v", err)
	}
	written := 0
	flush := func(addr uint64, data []byte) error {
		written++
		if addr != dataPage || len(data) != interp.PageSize || data[5] != 7 {
			t.Errorf("page %x with %d", addr, data[5])
		}
		return nil
	}
	for range 2 { // the second time there is nothing to write
		if err := m.Flush(flush); err != nil {
			t.Error(err)
		}
	}
	if written != 1 {
		t.Errorf("%d pages written, want 1", written)
	}
	loads := p.loads
	m.Refresh(dataPage+6, make([]byte, 3*interp.PageSize))
	m.Refresh(dataPage+6, []byte{9})
	if p.loads != loads {
		t.Error("Refresh has loaded pages")
	}
	if !m.Step() || m.GPR[x86.RAX]&0xff != 9 {
		t.Errorf("al is %d, want 9", m.GPR[x86.RAX]&0xff)
	}
	if m.Step() {
		t.Error("read from a page that is not there")
	}
	m.Refresh(codePage+4, []byte{0xf4})
	m.RIP = codePage + 4
	if m.Step() {
		t.Error("executed what was there before Refresh")
	}
}

func TestRepeat(t *testing.T) {
	m, _ := newMachine(0xf3, 0xaa) // rep stosb
	m.GPR[x86.RCX], m.GPR[x86.RAX] = 3, 0x55
	for want := range uint64(3) {
		if !m.Step() || m.GPR[x86.RCX] != 2-want {
			t.Fatalf("rcx is %d", m.GPR[x86.RCX])
		}
		if w := m.Writes(); len(w) != 1 || w[0].Addr != dataPage+want {
			t.Errorf("iteration %d wrote %+v", want, w)
		}
	}
	if m.RIP != codePage+2 {
		t.Errorf("rip is %x", m.RIP)
	}
}

// What a repeated comparison shows between iterations depends on the processor (x86.Processor):
// rdi points to 1, 2, 3, 3, 3, 0 and al is 3, or rcx ends the loop before.
func TestRepeatFlags(t *testing.T) {
	const carry, parity, zero, sign = 1, 4, 0x40, 0x80
	before := uint64(0x202 | carry | sign)
	differ := []uint64{0x202, 0x202}                                // 3-1, 3-2: 2 and 1 have one bit set
	equal, above := uint64(0x202|zero|parity), uint64(0x202|parity) // 3-3, 3-0
	for name, test := range map[string]struct {
		processor x86.Processor
		code      []byte
		count     uint64
		skipped   uint64   // bytes before those that are compared
		want      []uint64 // flags after each step
	}{
		"AMD":                  {x86.AMD, []byte{0xf2, 0xae}, 5, 0, append(slices.Clone(differ), equal)},
		"Intel":                {x86.Intel, []byte{0xf2, 0xae}, 5, 0, []uint64{before, before, equal}},
		"Intel, counted":       {x86.Intel, []byte{0xf2, 0xae}, 2, 0, []uint64{before, differ[1]}},
		"AMD, counted":         {x86.AMD, []byte{0xf2, 0xae}, 2, 0, differ},
		"AMD, repe":            {x86.AMD, []byte{0xf3, 0xae}, 5, 2, []uint64{equal, equal, equal, above}},
		"Intel, repe":          {x86.Intel, []byte{0xf3, 0xae}, 5, 2, []uint64{before, before, before, above}},
		"Intel, repe, counted": {x86.Intel, []byte{0xf3, 0xae}, 2, 2, []uint64{before, equal}},
		"Intel, repe, ends":    {x86.Intel, []byte{0xf3, 0xae}, 5, 0, differ[:1]},
		"Intel, once":          {x86.Intel, []byte{0xae}, 5, 0, differ[:1]},
		"another":              {x86.Processor{}, []byte{0xf2, 0xae}, 5, 0, nil},
		"another, repe":        {x86.Processor{}, []byte{0xf3, 0xae}, 5, 0, nil},
		"another, once":        {x86.Processor{}, []byte{0xae}, 5, 0, differ[:1]},
		"Intel, no":            {x86.Intel, []byte{0xf2, 0xae}, 0, 0, []uint64{before}},
	} {
		t.Run(name, func(t *testing.T) {
			// mov dword ptr [rdi], 0x03030201; mov dword ptr [rdi+4], 3
			m, _ := newMachine(append([]byte{0xc7, 0x07, 1, 2, 3, 3, 0xc7, 0x47, 4, 3, 0, 0, 0}, test.code...)...)
			m.Processor = test.processor
			m.Step()
			m.Step()
			m.GPR[x86.RDI] += test.skipped
			m.GPR[x86.RCX], m.GPR[x86.RAX], m.Flags = test.count, 3, before
			for n, want := range test.want {
				if !m.Step() || m.Flags != want {
					t.Fatalf("step %d: flags %x, want %x", n, m.Flags, want)
				}
			}
			if end := uint64(codePage + 13 + len(test.code)); len(test.want) > 0 && m.RIP != end {
				t.Errorf("rip %x, want %x", m.RIP, end)
			}
			if len(test.want) == 0 && (m.Step() || m.Flags != before || m.GPR[x86.RCX] != test.count) {
				t.Error("it was executed as on a processor that is known")
			}
		})
	}
}

// 90 with F3 and REX.B depends on the processor.
func TestPauseOrExchange(t *testing.T) {
	for name, test := range map[string]struct {
		processor x86.Processor
		code      []byte
		done      bool
		rax, r8   uint64
	}{
		"AMD":            {x86.AMD, []byte{0xf3, 0x49, 0x90}, true, 2, 1},
		"Intel":          {x86.Intel, []byte{0xf3, 0x49, 0x90}, true, 1, 2},
		"another":        {x86.Processor{}, []byte{0xf3, 0x49, 0x90}, false, 1, 2},
		"Intel, xchg":    {x86.Intel, []byte{0x49, 0x90}, true, 2, 1},
		"another, xchg":  {x86.Processor{}, []byte{0x49, 0x90}, true, 2, 1},
		"another, pause": {x86.Processor{}, []byte{0xf3, 0x90}, true, 1, 2},
	} {
		m, _ := newMachine(test.code...)
		m.Processor = test.processor
		m.GPR[x86.RAX], m.GPR[x86.R8] = 1, 2
		if done := m.Step(); done != test.done || m.GPR[x86.RAX] != test.rax || m.GPR[x86.R8] != test.r8 {
			t.Errorf("%s: executed %v, rax %d, r8 %d", name, done, m.GPR[x86.RAX], m.GPR[x86.R8])
		}
	}
}

// FuzzStep asks of any program: no panic, and nothing changed where the machine
// gives up.
func FuzzStep(f *testing.F) {
	f.Add([]byte{0x31, 0xc0, 0x50, 0x8f, 0x04, 0x24}, uint64(dataPage), uint64(1))
	f.Add([]byte{0xf3, 0x48, 0xa5}, uint64(dataPage+0xffc), uint64(3))
	f.Add([]byte{0x48, 0xf7, 0xf9}, uint64(1<<63), uint64(1<<64-1))
	f.Add([]byte{0xf2, 0x0f, 0x58, 0xc1, 0xc5, 0xf5, 0xfc, 0xd0}, uint64(0x3ff8000000000000), uint64(3)) // addsd, vpaddb
	f.Add([]byte{0x62, 0xf1, 0x7c, 0x49, 0x11, 0x07}, uint64(0xff), uint64(dataPage+0xfe0))              // vmovups [rdi]{k1}, zmm0
	f.Fuzz(func(t *testing.T, code []byte, a, b uint64) {
		m, _ := newMachine(code...)
		m.UseVectors(func(v *interp.Vectors) bool {
			v.MXCSR = 0x1f80
			for n := range v.Reg {
				v.Reg[n] = interp.Vector{a, b, 0x3ff0000000000000, 0x3fc000003f800000}
			}
			v.Mask[1], v.Mask[2] = a, b
			return true
		})
		for n := range m.GPR {
			m.GPR[n] = []uint64{a, b, dataPage, dataPage + 0xffc, readOnly}[n%5]
		}
		for range 64 {
			before := m.State
			if m.Step() {
				continue
			}
			if m.State != before || len(m.Writes()) != 0 {
				t.Errorf("given up at %x, but something changed", m.RIP)
			}
			return
		}
	})
}

// BenchmarkStep records a loop with loads, stores and calls.
func BenchmarkStep(b *testing.B) {
	m, _ := newMachine(
		0x48, 0x8b, 0x07, // mov rax, [rdi]
		0x48, 0x01, 0xd8, // add rax, rbx
		0x48, 0x89, 0x07, // mov [rdi], rax
		0x48, 0x8d, 0x5b, 0x01, // lea rbx, [rbx+1]
		0xe8, 2, 0, 0, 0, // call
		0xeb, 0xec, // jmp to the start
		0xc3, // ret
	)
	b.ReportAllocs()
	for b.Loop() {
		if !m.Step() {
			b.Fatalf("gave up at %x", m.RIP)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	m, _ := newMachine(0x48, 0x89, 0x07, 0x48, 0xff, 0xc0, 0xeb, 0xf8)
	m.Run(16)
	if n := testing.AllocsPerRun(100, func() { m.Run(16) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
