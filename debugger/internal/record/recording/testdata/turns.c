// turns has threads that wait for futexes, in one of several ways.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static long futex(atomic_int *at, int op, int value) { return syscall(SYS_futex, at, op, value, 0, 0, 0); }

// many: more threads wait than the cache lets wait. They are woken one after the other.
enum { MANY = 66 };
static atomic_int words[MANY], waiting;

static void *waits(void *word) {
	waiting++;
	while (!*(atomic_int *)word)
		futex(word, FUTEX_WAIT_PRIVATE, 0);
	return 0;
}

static void many(void) {
	pthread_t threads[MANY];
	for (int n = 0; n < MANY; n++)
		if (pthread_create(&threads[n], 0, waits, &words[n]))
			abort();
	while (waiting < MANY)
		sched_yield();
	for (int n = MANY - 1; n >= 0; n--) {
		words[n] = 1;
		futex(&words[n], FUTEX_WAKE_PRIVATE, 1);
		pthread_join(threads[n], 0);
	}
	printf("%d threads\n", waiting);
}

// wakes: one thread makes more calls than the recorder's buffer has room for.
static void wakes(void) {
	long woken = 0;
	for (int n = 0; n < 6000; n++)
		woken += futex(words, FUTEX_WAKE_PRIVATE, 1);
	printf("%ld woken\n", woken);
}

// late: a thread waits for longer than the cache lets it wait, while another one reads.
static void late(void) {
	int ends[2];
	char byte = 0;
	if (pipe(ends))
		abort();
	pid_t child = fork();
	if (child == 0) {
		usleep(40000);
		_exit(write(ends[1], "x", 1) != 1);
	}
	pthread_t thread;
	if (pthread_create(&thread, 0, waits, words))
		abort();
	while (!waiting)
		sched_yield();
	long n = read(ends[0], &byte, 1);
	words[0] = 1;
	futex(words, FUTEX_WAKE_PRIVATE, 1);
	pthread_join(thread, 0);
	waitpid(child, 0, 0);
	printf("%ld: %c\n", n, byte);
}

// ring: three threads take turns. With signals, a timer interrupts them.
enum { PLAYERS = 3, ROUNDS = 150 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed[PLAYERS] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static int turn, order;
static atomic_int signals;

static void *plays(void *arg) {
	int me = (int)(long)arg;
	pthread_mutex_lock(&lock);
	for (int n = 0; n < ROUNDS; n++) {
		while (turn != me)
			pthread_cond_wait(&changed[me], &lock);
		turn = (me + 1) % PLAYERS;
		order = order * 31 + me;
		pthread_cond_signal(&changed[turn]);
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

static void ring(void) {
	pthread_t threads[PLAYERS];
	for (long n = 1; n < PLAYERS; n++)
		if (pthread_create(&threads[n], 0, plays, (void *)n))
			abort();
	plays(0);
	for (int n = 1; n < PLAYERS; n++)
		pthread_join(threads[n], 0);
	printf("order %d\n", order);
}

static void counts(int signal) { signals += signal; }

static void withSignals(void) {
	struct sigaction action = {.sa_handler = counts, .sa_flags = SA_RESTART};
	sigaction(SIGALRM, &action, 0);
	struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &often, 0);
	ring();
	setitimer(ITIMER_REAL, &never, 0);
}

static const struct {
	const char *name;
	void (*f)(void);
} tests[] = {{"many", many}, {"wakes", wakes}, {"late", late}, {"ring", ring}, {"signals", withSignals}};

int main(int argc, char **argv) {
	for (unsigned i = 0; argc > 1 && i < sizeof tests / sizeof *tests; i++)
		if (!strcmp(argv[1], tests[i].name))
			tests[i].f();
	return 7;
}
