// threads runs three threads that count in a loop, and more when told to.
//
// Commands: count, one (a thread that calls visit once and ends), quit, abort,
// wait (a thread waits for another one in a futex, which is told after a
// while), sleep (main sleeps for 300 ms), mask (a thread that calls visit while
// it blocks all signals), trap (an int3 of the program's own).
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile long counts[3];
volatile long visits;
volatile long watched;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int flag;

__attribute__((noinline)) long tick(long *count, long n) {
	*count += n; //break:tick
	return *count;
}

__attribute__((noinline)) void visit(void) {
	visits++; //break:visit
	watched += 2; //break:watched
}

static void *work(void *arg) {
	for (;;)
		if (tick((long *)arg, 1) % 64 == 0)
			usleep(200);
	return NULL;
}

static void *once(void *arg) {
	visit();
	return NULL;
}

static void *masked(void *arg) {
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	visit();
	usleep(1000);
	return NULL;
}

static void *tell(void *arg) {
	usleep(50000);
	pthread_mutex_lock(&lock);
	flag = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

__attribute__((noinline)) void block(void) {
	pthread_t teller;
	flag = 0; //break:block
	pthread_create(&teller, NULL, tell, NULL);
	pthread_mutex_lock(&lock);
	while (!flag)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	pthread_join(teller, NULL); //break:unblocked
}

static void run(void *(*f)(void *)) {
	pthread_t thread;
	pthread_create(&thread, NULL, f, NULL);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
	char line[64];
	pthread_t thread;
	int workers = argc > 1 ? atoi(argv[1]) : 3;

	for (int i = 0; i < workers; i++)
		pthread_create(&thread, NULL, work, (void *)&counts[i]);
	for (int i = 0; i < workers; i++)
		while (counts[i] == 0) // it has come to work
			usleep(100);
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin) != NULL) {
		if (strcmp(line, "quit\n") == 0)
			exit(7);
		if (strcmp(line, "abort\n") == 0)
			abort();
		if (strcmp(line, "one\n") == 0)
			run(once);
		if (strcmp(line, "mask\n") == 0)
			run(masked);
		if (strcmp(line, "wait\n") == 0)
			block();
		if (strcmp(line, "sleep\n") == 0)
			usleep(300000);
		if (strcmp(line, "trap\n") == 0)
			__asm__ volatile("int3");
		printf("%ld %ld\n", visits, counts[0] + counts[1] + counts[2]);
	}
	return 0;
}
