package history

import "github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"

// check verifies that a record of a file can be applied: its parts are complete
// and refer to threads, vector words and pages that the trace has.
func (o *opener) check(record []byte) error {
	d := decoder{b: record}
	h := d.head(len(o.threads))
	if d.bad {
		return ErrCorrupt
	}
	d.skipRegs()
	if h.parts&partMemory != 0 {
		o.checkMemory(&d)
	}
	if h.parts&partVector != 0 {
		o.checkVector(&d, h.thread)
	}
	if h.parts&partExtra != 0 {
		d.extras(o.checkExtra)
	}
	if d.bad || len(d.b) > 0 {
		return ErrCorrupt
	}
	return nil
}

func (o *opener) checkMemory(d *decoder) {
	for _, s := range d.spans(nil) {
		if len(s.data) == 0 {
			continue
		}
		for number := s.addr / pageSize; number <= (s.addr+uint64(len(s.data))-1)/pageSize; number++ {
			if _, ok := o.pages[number]; !ok {
				d.fail()
				return
			}
		}
	}
}

// checkVector applies a difference of vector states and undoes it.
func (o *opener) checkVector(d *decoder, thread int) {
	if d.b == nil {
		return
	}
	state := o.threads[thread].vector
	if state == nil {
		state = []byte{} // any word is out of range
	}
	again := *d
	d.moveVector(state)
	again.moveVector(state) // and back
}

func (o *opener) checkExtra(tag byte, d *decoder) {
	switch tag {
	case extraMaps:
		d.maps()
		d.maps()
	case extraThread, extraSwitch:
		d.index(len(o.threads))
	case extraOther:
		i := d.index(len(o.threads))
		var regs ptrace.Regs
		d.moveRegs(&regs, false)
		if !d.bad {
			o.checkVector(d, i)
		}
	case extraNote, extraNumber:
		d.bytes(uint64(len(d.b)))
	default:
		d.fail()
		return
	}
	if len(d.b) > 0 {
		d.fail()
	}
}
