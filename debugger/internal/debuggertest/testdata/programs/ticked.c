// ticked counts in a loop, a line a count, while a timer of 1 ms interrupts it.
//
// Commands: none.
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile long ticks;
static volatile long odd, even;

static void on_tick(int sig) {
	ticks++; //break:on_tick
}

__attribute__((noinline)) static void count(void) {
	for (;;) {
		odd++; //break:odd
		even++; //break:even
	}
}

int main(void) {
	struct sigaction tick = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
	struct itimerval every = {{0, 1000}, {0, 1000}};

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	sigaction(SIGALRM, &tick, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	count();
	return 0;
}
