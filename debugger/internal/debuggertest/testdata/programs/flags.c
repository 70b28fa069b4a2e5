// flags does what loads and stores the processor's flags, and counts the places
// where it finds the trap flag, which it never sets.
//
// Commands: flags, whose answer is that number.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static volatile long leaks;

static void look(unsigned long flags) {
	leaks += flags >> 8 & 1;
}

static void on_signal(int sig, siginfo_t *info, void *context) {
	look(((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL]);
}

// copies leaves the flags as pushf, a system call and the handler of a signal
// have them, and loads them by popf and iret. at_ and the name of an instruction
// is where it is; copied is behind all.
static void copies(void) {
	unsigned long pushed, loaded, called, last;
	long pid = getpid();

	__asm__ volatile(
		"sub $256, %%rsp\n"
		".globl at_pushf\nat_pushf: pushfq\n"
		"pop %0\n"
		"pushfq\n"
		".globl at_popf\nat_popf: popfq\n"
		"nop\n"
		"pushfq\n"
		"pop %1\n"
		"mov %%rsp, %%rcx\n"
		"mov %%ss, %%eax\n"
		"push %%rax\n"
		"push %%rcx\n"
		"pushfq\n"
		"mov %%cs, %%eax\n"
		"push %%rax\n"
		"lea 1f(%%rip), %%rax\n"
		"push %%rax\n"
		".globl at_iret\nat_iret: iretq\n"
		"1: nop\n"
		"mov $39, %%eax\n" // getpid
		".globl at_syscall\nat_syscall: syscall\n"
		"mov %%r11, %2\n"
		"mov %4, %%rdi\n"
		"mov %%rdi, %%rsi\n"
		"mov $10, %%edx\n" // SIGUSR1
		"mov $234, %%eax\n" // tgkill: the handler's end is a sigreturn
		"syscall\n"
		"nop\n"
		"pushfq\n"
		"pop %3\n"
		".globl copied\ncopied: add $256, %%rsp\n"
		: "=&r"(pushed), "=&r"(loaded), "=&r"(called), "=&r"(last)
		: "r"(pid)
		: "rax", "rcx", "rdx", "rsi", "rdi", "r11", "memory", "cc");
	look(pushed);
	look(loaded);
	look(called);
	look(last);
}

int main(void) {
	struct sigaction handled = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};
	char line[64];

	sigaction(SIGUSR1, &handled, NULL);
	signal(SIGUSR2, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin) != NULL) {
		leaks = 0;
		copies();
		printf("%ld\n", leaks);
	}
	return 0;
}
