// turns has three threads that take turns: each calls meet when it is the one's turn.
//
// Without arguments each has three turns. With one, all have a turn for each line of the
// standard input, and the total is written.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static long turn, goal;
long total;

__attribute__((noinline)) void meet(long who, long round) {
	total = total % 100000 * 10 + who; // line: meet
}

static void *work(void *arg) {
	long who = (long)arg;
	pthread_mutex_lock(&lock);
	for (long round = 0;; round++) {
		while (turn % 3 != who - 1 || turn >= goal)
			pthread_cond_wait(&turned, &lock);
		meet(who, round);
		turn++;
		pthread_cond_broadcast(&turned);
	}
	return NULL;
}

// play lets the threads have a number of turns.
static void play(long turns) {
	pthread_mutex_lock(&lock);
	goal += turns;
	pthread_cond_broadcast(&turned);
	while (turn < goal)
		pthread_cond_wait(&turned, &lock);
	printf("%ld\n", total); // line: print
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv) {
	pthread_t threads[3];
	char line[16];

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	if (argc == 1)
		play(9);
	else
		puts("ready");
	while (argc > 1 && fgets(line, sizeof line, stdin) != NULL)
		play(3);
	return 0;
}
