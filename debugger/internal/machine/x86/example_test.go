package x86_test

import (
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

func ExampleText() {
	code := []byte{0x48, 0x8b, 0x43, 0x08}
	fmt.Println(x86.Text(code, 0x401000, nil))
	// Output: mov rax, [rbx+8]
}

func ExampleInst_Writes() {
	in, err := x86.Decode([]byte{0xff, 0x15, 0x10, 0x00, 0x00, 0x00}, 0x401000)
	if err != nil {
		fmt.Println(err)
		return
	}
	regs := x86.Regs{}
	regs.GPR[x86.RSP] = 0x7ffc0010
	for _, span := range in.Writes(nil, &regs, x86.OneIteration) {
		fmt.Printf("%s: saves %d bytes at %#x\n", in.Text(nil), span.Len, span.Addr)
	}
	// Output: call qword ptr [rip+0x10] # 0x401016: saves 8 bytes at 0x7ffc0008
}
