package inplace_test

import "testing"

// TestCallsInBlocks executes calls of functions that a block continues in: those that
// return behind the call, that change their return address, and that do not return.
func TestCallsInBlocks(t *testing.T) {
	codes := map[string][]byte{
		"return": {
			0xe8, 6, 0, 0, 0, // call 1f
			0x48, 0xff, 0xc0, 0xeb, 8, 0xcc, // inc rax; jmp 2f
			0x48, 0x01, 0xd8, 0x9f, 0xc3, 0x90, 0x90, 0x90, // 1: add rax, rbx; lahf; ret
			0x48, 0x11, 0xd8, 0x9f, 0xcc, // 2: adc rax, rbx; lahf
		},
		"two calls deep": {
			0xe8, 2, 0, 0, 0, 0x9f, 0xcc, // call 1f; lahf
			0xe8, 3, 0, 0, 0, 0xf5, 0xc3, 0x90, // 1: call 2f; cmc; ret
			0x48, 0x29, 0xc8, 0xc3, // 2: sub rax, rcx; ret
		},
		"the return address is changed": {
			0xe8, 3, 0, 0, 0, 0x9f, 0xcc, 0x90, // call 1f; lahf
			0x48, 0x83, 0x04, 0x24, 12, 0xc3, // 1: add qword ptr [rsp], 12; ret
			0x90, 0x90, 0x90, 0x0f, 0x92, 0xc0, 0x9f, 0xcc, // at 17: setb al; lahf
		},
		"the address is popped": {
			0xe8, 0, 0, 0, 0, 0x5b, 0x53, 0x48, 0x83, 0xc3, 7, // call 1f; 1: pop rbx; push rbx; add rbx, 7
			0x53, 0xc3, 0x9f, 0xcc, // push rbx; ret: to the int3 at 12, or what is there
		},
	}
	newDuel(t, 5, func(d *duel) {
		for name, code := range codes {
			before := d.executed
			for range 8 {
				d.try(code)
			}
			if d.executed-before < 8*5 {
				t.Errorf("%s: only %d instructions were executed in 8 tries", name, d.executed-before)
			}
		}
	})
}
