// asleep has a thread that computes, and others that are blocked in the kernel
// in the way that its argument says, or hand a token to each other ("turns").
// Commands: count (answer: what the one that computes has counted, and how often
// the token was handed over).
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

volatile unsigned long rounds, handed;
static pthread_t busy;
static const char *how;
static int ends[2];
static sem_t begun;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static long turn;

static void *compute(void *arg) {
	for (;;)
		rounds++;
	return arg;
}

static void *take_turns(void *arg) {
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (turn != (long)arg)
			pthread_cond_wait(&turned, &mutex);
		turn = !turn;
		handed++;
		pthread_cond_signal(&turned);
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

static void *wait_forever(void *arg) {
	struct epoll_event event;
	struct pollfd one = {.fd = ends[0], .events = POLLIN};
	struct timespec long_time = {1 << 20, 0};
	char byte;

	sem_post(&begun);
	if (strcmp(how, "cond") == 0) {
		pthread_mutex_lock(&mutex);
		for (;;)
			pthread_cond_wait(&turned, &mutex);
	} else if (strcmp(how, "read") == 0) {
		read(ends[0], &byte, 1);
	} else if (strcmp(how, "epoll") == 0) {
		epoll_wait(epoll_create1(0), &event, 1, -1);
	} else if (strcmp(how, "poll") == 0) {
		poll(&one, 1, -1);
	} else if (strcmp(how, "sleep") == 0) {
		nanosleep(&long_time, NULL);
	} else if (strcmp(how, "join") == 0) {
		pthread_join(busy, NULL);
	}
	return arg;
}

int main(int argc, char **argv) {
	char line[64];
	pthread_t thread;

	how = argv[1];
	pipe(ends);
	sem_init(&begun, 0, 0);
	if (strcmp(how, "turns") == 0) {
		pthread_create(&thread, NULL, take_turns, (void *)0);
		pthread_create(&thread, NULL, take_turns, (void *)1);
	} else {
		pthread_create(&busy, NULL, compute, NULL);
		pthread_create(&thread, NULL, wait_forever, NULL);
		sem_wait(&begun);
		usleep(1000); // it is about to wait
	}
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		printf("%lu %lu\n", rounds, handed);
		fflush(stdout);
	}
	return 0;
}
