// forker makes a child by fork(2), with values in all registers that the kernel keeps. The
// child exits with 7 if it has them, and the signal mask, or else with what is wrong.
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned long after[16];

int main(void) {
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_SETMASK, &set, 0);
	long pid;
	asm volatile(
		"mov $57, %%eax\n\t"
		"mov $101, %%edi\n\tmov $102, %%esi\n\tmov $103, %%edx\n\t"
		"mov $104, %%r10d\n\tmov $105, %%r8d\n\tmov $106, %%r9d\n\t"
		"mov $107, %%r12d\n\tmov $108, %%r13d\n\tmov $109, %%r14d\n\t"
		"stc\n\t"
		"syscall\n"
		"1:\tmov %%rdi, 0+after(%%rip)\n\tmov %%rsi, 8+after(%%rip)\n\tmov %%rdx, 16+after(%%rip)\n\t"
		"mov %%r10, 24+after(%%rip)\n\tmov %%r8, 32+after(%%rip)\n\tmov %%r9, 40+after(%%rip)\n\t"
		"mov %%r12, 48+after(%%rip)\n\tmov %%r13, 56+after(%%rip)\n\tmov %%r14, 64+after(%%rip)\n\t"
		"mov %%r11, 72+after(%%rip)\n\t"
		"setc 80+after(%%rip)\n\t"
		"lea 1b(%%rip), %%rdi\n\tsub %%rdi, %%rcx\n\tmov %%rcx, 88+after(%%rip)\n\t"
		: "=a"(pid)
		:
		: "rdi", "rsi", "rdx", "r10", "r8", "r9", "r12", "r13", "r14", "rcx", "r11", "memory", "cc");
	if (pid > 0) {
		int status;
		return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	}
	if (pid < 0)
		_exit(2);
	for (int i = 0; i < 9; i++)
		if (after[i] != 101 + i)
			_exit(10 + i);
	sigprocmask(SIG_SETMASK, 0, &set);
	if (!(after[9] & 1) || after[10] != 1 || after[11] != 0)
		_exit(20);
	_exit(sigismember(&set, SIGUSR1) && !sigismember(&set, SIGUSR2) ? 7 : 21);
}
