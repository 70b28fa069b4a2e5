// trapped reads and writes its flags until a timer has sent it 30 signals.
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile int alarms;

static void on_alarm(int number) { alarms += number == SIGALRM; }

int main(void) {
	struct itimerval every = {{0, 500}, {0, 500}};
	unsigned long before, after, wrong = 0;
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &every, NULL);
	while (alarms < 30) {
		__asm__ volatile("pushfq; popq %0; pushq %0; popfq; pushfq; popq %1" : "=r"(before), "=r"(after) : : "cc");
		wrong += before != after;
	}
	printf("%lu\n", wrong);
	return 0;
}
