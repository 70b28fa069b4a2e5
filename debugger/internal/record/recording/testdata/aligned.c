// aligned checks by the flag AC whether the processor can trap at unaligned accesses, and makes
// some, in code of the program and in code that it has written.

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int traps;

// The signal comes again until the address is aligned, which is in rbx.
static void trapped(int number, siginfo_t *info, void *context) {
	long *registers = (long *)((char *)context + 40); // r8 to r15, rdi, rsi, rbp, rbx
	(void)number;
	traps += info->si_code;
	registers[11]++;
}

#define TOGGLE_AC "pushf\n xorl $0x40000, (%%rsp)\n popf\n"

static long before, after, calls;

__attribute__((noinline)) static void check(const char *at) {
	__asm__ volatile("pushf\n pop %1\n" TOGGLE_AC
	                 "pushf\n pop %2\n"
	                 "mov (%0), %%rax\n"
	                 "mov $39, %%eax\n syscall\n inc %3\n" // getpid
	                 "mov $10, %%ecx\n 1: dec %%ecx\n jne 1b\n" TOGGLE_AC
	                 : "+b"(at), "=&r"(before), "=&r"(after), "+r"(calls)
	                 :
	                 : "rax", "rcx", "r11", "memory", "cc");
}

int main(void) {
	static const unsigned char code[] = {
	    0x9c, 0x81, 0x34, 0x24, 0, 0, 4, 0, 0x9d, // pushf; xorl $0x40000, (%rsp); popf
	    0x48, 0x31, 0xc0, 0x48, 0xff, 0xc0,       // xor %rax, %rax; inc %rax
	    0x9c, 0x81, 0x34, 0x24, 0, 0, 4, 0, 0x9d, 0xc3};
	struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};
	sigaction(SIGBUS, &action, NULL);
	static long words[4];
	for (int n = 0; n < 3; n++) {
		check((char *)words + 5 * n);
		printf("%d: flags %#lx, then %#lx, %d traps, %ld calls\n", n, before & 0x40000, after & 0x40100, traps, calls);
	}
	char *written = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int n = 0; n < 3; n++) {
		memcpy(written + n, code, sizeof code);
		printf("written code returns %ld\n", ((long (*)(void))(written + n))());
	}
	return 0;
}
