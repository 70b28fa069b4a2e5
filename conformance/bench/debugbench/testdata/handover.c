/*
 * handover has two threads that take turns by a mutex and condition variables, on
 * one processor. It prints how many nanoseconds so many hand-overs took.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static int turn;
static long rounds;

static void *play(void *arg)
{
	int me = (int)(long)arg;
	pthread_mutex_lock(&lock);
	for (long n = 0; n < rounds; n++) {
		while (turn != me)
			pthread_cond_wait(&changed[me], &lock);
		turn = !me;
		pthread_cond_signal(&changed[!me]);
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

int main(int argc, char **argv)
{
	rounds = argc > 1 ? atol(argv[1]) / 2 : 1000;
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
	struct timespec from, to;
	clock_gettime(CLOCK_MONOTONIC, &from);
	pthread_t other;
	pthread_create(&other, 0, play, (void *)1);
	play(0);
	pthread_join(other, 0);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%lld\n", (to.tv_sec - from.tv_sec) * 1000000000ll + to.tv_nsec - from.tv_nsec);
	return 0;
}
