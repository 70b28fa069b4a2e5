// checker computes what it can check in its threads, and aborts when a result is
// wrong. Its argument is the number of threads, 1 to 3; ticks are how many checks
// each has made, and go on in all elements.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SIZE 3000

struct worker {
	unsigned long ticks, mirror;
	unsigned char from[SIZE], to[SIZE];
	double sum;
	long double wide;
};

static struct worker workers[3];
volatile unsigned long ticks[3];
static int threads;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long locked, mirrored;
volatile unsigned long alarms;

static void require(int fine, const char *what) {
	if (!fine) {
		fprintf(stderr, "checker: %s is wrong\n", what);
		abort();
	}
}

__attribute__((noinline)) unsigned long fold(unsigned long n) {
	return n < 2 ? n : fold(n - 1) + fold(n - 2);
}

__attribute__((noinline)) void flags(void) {
	unsigned long before, after;

	__asm__ volatile("pushfq; popq %0; pushq %0; popfq; pushfq; popq %1" : "=r"(before), "=r"(after) : : "cc");
	require(before == after && (before & 0x100) == 0, "a flag");
}

__attribute__((noinline)) void calls(struct worker *w) {
	struct timespec now;

	require(clock_gettime(CLOCK_MONOTONIC, &now) == 0, "clock_gettime");
	require(getppid() > 0, "getppid");
	pthread_mutex_lock(&mutex);
	require(mirrored == ~locked, "what the lock protects");
	locked++;
	mirrored = ~locked;
	pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) void tick(struct worker *w, long x) {
	w->ticks++;
	memset(w->from, (int)w->ticks, SIZE);
	memcpy(w->to, w->from, SIZE);
	require(w->to[x % SIZE] == (unsigned char)w->ticks && w->to[SIZE - 1] == w->to[0], "a copy");
	require(fold(8) == 21, "a recursion");
	w->sum = 0;
	w->wide = 0;
	for (int i = 1; i <= 20; i++) {
		w->sum += i * 0.5;
		w->wide += i * 0.25L;
	}
	require(w->sum == 105 && w->wide == 52.5L, "a sum");
	flags();
	w->mirror = ~w->ticks;
	for (int i = w - workers; i < 3; i += threads)
		ticks[i] = w->ticks;
}

static void *work(void *arg) {
	struct worker *w = arg;

	for (long x = 0;; x++) {
		require(w->mirror == ~w->ticks, "a mirror");
		tick(w, x);
		if (x % 16 == 0)
			calls(w);
	}
	return arg;
}

static void on_alarm(int sig) {
	alarms++;
}

int main(int argc, char **argv) {
	static char stack[1 << 16];
	stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
	struct itimerval every = {{0, 7000}, {0, 7000}};
	pthread_t thread;
	char line[64];

	mirrored = ~locked;
	sigaltstack(&other, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	threads = atoi(argv[1]);
	for (int i = 0; i < threads; i++) {
		workers[i].mirror = ~workers[i].ticks;
		pthread_create(&thread, NULL, work, &workers[i]);
	}
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin))
		;
	return 0;
}
