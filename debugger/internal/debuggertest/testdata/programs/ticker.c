// ticker has a timer of 1 ms and counts the signals it gets: those of the
// timer, and those of SIGRTMIN, of which the kernel loses none.
//
// Commands: signals, ticks.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile long ticks;
static volatile long signals;
static volatile long sum;

static void on_tick(int sig) {
	ticks++; //break:on_tick
}

static void on_signal(int sig, siginfo_t *info, void *context) {
	signals++;
	sum += info->si_value.sival_int;
}

int main(void) {
	struct sigaction tick = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
	struct sigaction counted = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};
	struct itimerval every = {{0, 1000}, {0, 1000}};
	char line[64];

	sigaction(SIGALRM, &tick, NULL);
	sigaction(SIGRTMIN, &counted, NULL);
	sigaction(SIGUSR1, &counted, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin) != NULL) {
		if (strcmp(line, "ticks\n") == 0)
			printf("%ld\n", ticks);
		else
			printf("%ld %ld\n", signals, sum);
	}
	return 0;
}
