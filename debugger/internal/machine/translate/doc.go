// Package translate rewrites straight runs of x86-64 instructions, so that a
// process executes them from a cache of code, with its own registers, stack and
// memory, at almost its own speed, and every instruction is counted.
//
//	block, err := translate.Translate(translate.Request{PC: pc, Fetch: fetch, …})
//	copy(cache[n:], block.Hot)
//
// Nothing is executed here: a block is bytes, made of bytes. Package codecache
// places blocks in memory and connects them, and package inplace has a traced
// process execute them.
//
// # What a block does
//
// It executes copies of the program's instructions and subtracts their number from
// counters in memory, see [Context.Left]. If one becomes negative, the block is left. The
// instructions up to a branch are counted together, where the program is about to
// overwrite the flags. Only these differ from the original:
//
//	direct branches     go to the translation of their target, or continue in the
//	                    block; where the program leaves a block in its middle, what
//	                    was counted too much is added
//	call                pushes the original return address, then jumps, or continues in the
//	                    block with the function
//	ret, jmp reg, …     go where the table of arrivals says, see arrival.go; a ret from a
//	                    function in the block compares the address with the one behind the call
//	call reg, …         search the original address in the tables of targets
//	[rip+disp]          has another displacement, or goes through a register that
//	                    is saved meanwhile if the operand is more than 2 GiB away
//	syscall             is followed by a move that gives rcx its original value, and
//	                    a jump to the program's own code; a tracer stops the thread
//	                    before
//
// A block of code that the program may write compares it with what was translated before
// it begins, see Request.Variable.
//
// At the start of every block, all general and vector registers and the stack are
// the program's. Flags that the program overwrites before it reads them may differ,
// see [DeadFlags].
//
// # Exits
//
// What cannot be executed in the cache ends in an exit: the code stores the number
// of the exit and the address at which the program continues, and makes a system
// call without effect. A tracer stops the process there and gives it other
// registers. If there is no tracer (any more), the system call returns and the
// process continues at that address, in the program's own code.
//
// Instructions that depend on more than registers and memory (cpuid, rdtsc,
// rdrand), that raise exceptions on purpose (int3, ud2) or that this package does not
// know are exits: the tracer lets the processor
// execute each of them in its original place.
//
// A repeated string operation counts as one instruction.
//
// # What a program can see
//
// Instructions that store the address of the last x87 instruction (fnstenv, fxsave,
// xsave) store that of its copy. A read of memory that the program has not mapped may
// succeed where the code cache is.
package translate
