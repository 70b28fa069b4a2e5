/* clocks.c computes, reads a clock and yields, again and again, in one thread or in two that take
   turns. No thread is inside of a system call that waits when the other one runs. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sum;
static volatile long clocks;
static int rounds;

static void *count(void *arg) {
	for (int i = 0; i < rounds; i++) {
		for (unsigned long k = 0; k < 20000; k++)
			sum += k;
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		clocks += now.tv_nsec; //break:read
		sched_yield();
	}
	return arg;
}

int main(int argc, char **argv) {
	pthread_t other;
	rounds = argc > 1 ? atoi(argv[1]) : 10;
	if (argc > 2)
		pthread_create(&other, NULL, count, NULL);
	count(NULL);
	if (argc > 2)
		pthread_join(other, NULL);
	printf("%lu\n", sum);
	return 0;
}
