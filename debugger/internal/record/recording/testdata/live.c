// A program to attach to: its threads wait in system calls of many kinds, and one
// computes. It goes on when it reads a line. With an argument it has one thread, with two
// that computes until then.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int go, alarms;
static sem_t posted;
static int pipes[3][2];

static void *condition(void *result) {
	pthread_mutex_lock(&lock);
	while (!go) pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	*(int *)result = 1;
	return 0;
}

static void *epolls(void *result) {
	struct epoll_event e = {.events = EPOLLIN};
	int set = epoll_create1(0);
	epoll_ctl(set, EPOLL_CTL_ADD, pipes[0][0], &e);
	*(int *)result = epoll_wait(set, &e, 1, -1);
	return 0;
}

static void *polls(void *result) {
	struct pollfd p = {pipes[1][0], POLLIN, 0};
	*(int *)result = poll(&p, 1, 3600 * 1000);
	return 0;
}

static void *reads(void *result) {
	char c;
	*(int *)result = read(pipes[2][0], &c, 1) + c;
	return 0;
}

static void *waits(void *result) {
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 3600;
	*(int *)result = sem_timedwait(&posted, &until) == 0;
	return 0;
}

static void *computes(void *result) {
	struct timespec before, now;
	long sum = 0;
	clock_gettime(CLOCK_MONOTONIC, &before);
	while (!go) {
		for (int i = 0; i < 10000; i++) sum += i ^ sum;
		clock_gettime(CLOCK_MONOTONIC, &now);
		struct timeval day;
		gettimeofday(&day, 0);
		if (now.tv_sec < before.tv_sec || day.tv_sec < 1000000000) return 0;
	}
	*(int *)result = 1;
	return 0;
}

static void onAlarm(int number) { alarms++; }

int main(int count, char **arguments) {
	void *(*kinds[])(void *) = {condition, epolls, polls, reads, waits, computes};
	enum { kind = sizeof kinds / sizeof *kinds };
	int results[kind] = {0};
	pthread_t threads[kind];
	char line[10];
	sem_init(&posted, 0, 0);
	for (int i = 0; i < 3; i++)
		if (pipe(pipes[i]) != 0) return 1;
	int several = count == 1;
	for (int i = 0; several && i < kind; i++) pthread_create(&threads[i], 0, kinds[i], &results[i]);
	puts("ready");
	fflush(stdout);
	struct pollfd input = {0, POLLIN, 0};
	volatile long sum = 0;
	while (count > 2 && poll(&input, 1, 0) == 0)
		for (int i = 0; i < 1000000; i++) sum += i ^ sum;
	if (fgets(line, sizeof line, stdin) == 0) return 2;
	struct sigaction a = {.sa_handler = onAlarm, .sa_flags = SA_RESTART};
	sigaction(SIGALRM, &a, 0);
	raise(SIGALRM);
	pthread_mutex_lock(&lock);
	go = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		if (write(pipes[i][1], "x", 1) != 1) return 3;
	sem_post(&posted);
	for (int i = 0; several && i < kind; i++) pthread_join(threads[i], 0);
	printf("%d alarms;", alarms);
	for (int i = 0; i < kind; i++) printf(" %d", results[i]);
	puts(line);
	return 5;
}
