package guard

// When this program is killed, its process goes on at once, with the registers
// and memory that it has at that moment. In between two of our changes these fit
// nothing: a thread may be in a system call of ours, a step may be half written,
// an int3 may still be in the code. So a few instructions are put into the unused
// end of the vdso while the process is debugged:
//
//	call     the system call that Inject makes, and behind it
//	landing  where a function that Call has called returns to; it keeps the result
//	park     a loop around pause(2), in which threads wait for the guard
//	return   rt_sigreturn(2), for the handler
//	handler  of SIGTRAP: takes the trap flag out of what it returns to, and goes
//	         back before an int3 until the guard has taken that out
//
// While a change is made the threads stand in park, and what they are to become
// is in the journal, which the guard reads after our end.
var RescueCode = []byte{
	0x0f, 0x05, // call: syscall
	0x49, 0x89, 0xc0, // landing: mov r8, rax
	0xb8, 0x22, 0, 0, 0, // park: mov eax, 34
	0x0f, 0x05, // syscall
	0xeb, 0xf7, // jmp park
	0xb8, 0x0f, 0, 0, 0, // return: mov eax, 15
	0x0f, 0x05, // syscall
	0x81, 0xa2, 0xb0, 0, 0, 0, 0xff, 0xfe, 0xff, 0xff, // handler: and dword [rdx+0xb0], ~0x100
	0x81, 0x7e, 0x08, 0x80, 0, 0, 0, // cmp dword [rsi+8], SI_KERNEL
	0x75, 0x2e, // jne out
	0x48, 0x8b, 0x46, 0x10, // mov rax, [rsi+16]
	0x48, 0x85, 0xc0, // test rax, rax
	0x75, 0x1e, // jne set: beforeInt3 says where to
	0x48, 0x8b, 0x82, 0xa8, 0, 0, 0, // mov rax, [rdx+0xa8]
	0x8b, 0x0d, 0x1a, 0, 0, 0, // mov ecx, [owner]
	0x3b, 0x0d, 0x18, 0, 0, 0, // cmp ecx, [repaired]
	0x75, 0x06, // jne back
	0x80, 0x78, 0xff, 0xcc, // cmp byte [rax-1], 0xcc
	0x74, 0x0a, // je out: the program's own
	0x48, 0xff, 0xc8, // back: dec rax
	0x48, 0x89, 0x82, 0xa8, 0, 0, 0, // set: mov [rdx+0xa8], rax
	0xc3, // out: ret
	0x90, // nop, so that the words are aligned
}

// Places in the code.
const (
	RescueLanding  = 2
	RescuePark     = 5
	RescueParked   = 12 // where a thread is that waits in pause
	RescueReturn   = 14
	RescueHandler  = 21
	rescueOwner    = 88 // which debugger is at work, by a number that it has chosen
	rescueRepaired = 92 // whose guard has taken the int3 instructions out

	RescueSize = 96
	RescueRoom = 128 // of the end of the vdso
)
