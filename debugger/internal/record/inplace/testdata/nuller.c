// nuller calls the address 0 behind a long instruction, in which signals of a timer
// arrive.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static char memory[1 << 22];
static sigjmp_buf back;
static volatile sig_atomic_t ticks, faults;

static void fault(int signal) {
	(void)signal;
	faults++;
	siglongjmp(back, 1);
}

static void tick(int signal) {
	(void)signal;
	ticks++;
}

int main(void) {
	signal(SIGSEGV, fault);
	signal(SIGALRM, tick);
	struct itimerval each = {{0, 5000}, {0, 5000}};
	setitimer(ITIMER_REAL, &each, 0);
	while (faults < 100 || ticks < 10) {
		if (sigsetjmp(back, 1))
			continue;
		char *to = memory;
		unsigned long n = sizeof memory;
		__asm__ volatile("rep stosb; call *%%rax" : "+D"(to), "+c"(n) : "a"(0L) : "memory");
	}
	puts("done");
	return 0;
}
