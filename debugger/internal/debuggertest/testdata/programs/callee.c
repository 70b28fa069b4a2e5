// callee waits for commands, and has functions for a debugger to call.
//
// Commands: any; the answer is what the functions have counted.
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

volatile long visits, handled;

__attribute__((noinline)) long add9(long a, long b, long c, long d, long e, long f, long g, long h, long i) {
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}

__attribute__((noinline)) long visit(long n) {
	visits++; //break:visit
	return n + 1;
}

// clobber changes all that a function may change, and calls a system call.
__attribute__((noinline)) long clobber(void) {
	__asm__ volatile("pcmpeqb %%xmm0, %%xmm0\n movaps %%xmm0, %%xmm5\n movaps %%xmm0, %%xmm15\n fld1\n fstp %%st(0)\n stc\n"
		: : : "xmm0", "xmm5", "xmm15", "cc", "st");
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	return getppid();
}

__attribute__((noinline)) void fault(void) { *(volatile int *)16 = 1; }
__attribute__((noinline)) void spin(void) { for (;;) visits++; }
__attribute__((noinline)) void ask(void) { for (;;) getppid(); }
// direct calls the system at direct_call.
__attribute__((noinline, noclone)) long direct(void) {
	long result;
	__asm__ volatile(".globl direct_call\n.type direct_call, @function\ndirect_call: syscall"
		: "=a"(result) : "a"(SYS_getppid) : "rcx", "r11", "memory");
	return result;
}
__attribute__((noinline)) long nap(void) {
	struct timespec left = {3600, 0};
	return nanosleep(&left, NULL);
}
__attribute__((noinline)) int signal_self(void) { return raise(SIGUSR1); }
__attribute__((noinline)) int doze(void) { return usleep(100000); }

static void on_signal(int number) { handled++; }

int main(void) {
	char line[64];
	signal(SIGUSR2, on_signal);
	signal(SIGALRM, on_signal);
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin)) {
		visit(1);
		printf("visits %ld, handled %ld, add %ld\n", visits, handled, add9(1, 1, 1, 1, 1, 1, 1, 1, 1)); //break:print
	}
	return 0;
}
