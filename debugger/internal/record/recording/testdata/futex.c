// futex does one of several things with futexes.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word, other, ready, returned;

static long futex(atomic_int *at, int op, int value, void *timeout, atomic_int *second, int third) {
	long n = syscall(SYS_futex, at, op, value, timeout, second, third);
	return n < 0 ? -errno : n;
}

static void *waits(void *timeout) {
	ready++;
	long n = futex(&word, FUTEX_WAIT_PRIVATE, 0, timeout, 0, 0);
	returned++;
	return (void *)n;
}

static pthread_t threads[4];
static int started;

static void start(int n, void *(*f)(void *), void *arg) {
	started++;
	if (pthread_create(&threads[n], 0, f, arg))
		abort();
}

static void join(int n) {
	void *result;
	if (pthread_join(threads[n], &result))
		abort();
	printf("thread %d: %ld\n", n, (long)result);
}

// wake wakes as many waiters of a futex, as soon as they wait. Some may have returned without that, see
// futex(2).
static void wake(atomic_int *at, int n) {
	while (n > 0 && returned < started) {
		long woken = futex(at, FUTEX_WAKE_PRIVATE, n, 0, 0, 0);
		if (woken < 0 || woken > n)
			abort();
		n -= woken;
		sched_yield();
	}
}

// wrong: calls that fail at once, and a wake without waiters.
static void wrong(void) {
	start(0, waits, 0);
	printf("%ld\n", futex(&other, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0));
	printf("%ld\n", futex((void *)1, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0));
	printf("%ld\n", futex((void *)4, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0));
	printf("%ld\n", futex(&other, FUTEX_WAIT_BITSET_PRIVATE, 0, 0, 0, 0));
	printf("%ld\n", futex(&other, FUTEX_WAKE_PRIVATE, 5, 0, 0, 0));
	wake(&word, 1);
	join(0);
}

// counts: four threads wait, two of them with a timeout. Some are woken, and then the others.
static void counts(void) {
	struct timespec long_time = {1000, 0};
	for (int n = 0; n < 4; n++)
		start(n, waits, n % 2 ? &long_time : 0);
	wake(&word, 3);
	while (returned < 3)
		sched_yield();
	wake(&word, 1);
	for (int n = 0; n < 4; n++)
		join(n);
	printf("%ld\n", futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0));
}

// requeue: waiters of a futex are made waiters of another one.
static void requeue(void) {
	for (int n = 0; n < 3; n++)
		start(n, waits, 0);
	for (long moved = 0; moved + returned < 3; sched_yield()) {
		long n = futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 0, (void *)(long)INT_MAX, &other, 0);
		if (n < 0)
			abort();
		moved += n;
	}
	long left = futex(&word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0); // 0 in most runs, 1 in some of a hundred without a recorder, too
	if (left < 0 || left > 3)
		abort();
	while (returned < 3) {
		futex(&other, FUTEX_WAKE_PRIVATE, 3, 0, 0, 0);
		futex(&word, FUTEX_WAKE_PRIVATE, 3, 0, 0, 0);
		sched_yield();
	}
	for (int n = 0; n < 3; n++)
		join(n);
}

static void handler(int n) { (void)n; }

// interrupted: a thread that waits gets a signal, while another one computes.
static void interrupted(void) {
	struct sigaction action = {.sa_handler = handler};
	sigaction(SIGUSR1, &action, 0);
	start(0, waits, 0);
	while (!returned) {
		if (ready)
			pthread_kill(threads[0], SIGUSR1);
		for (volatile int i = 0; i < 100000; i++)
			;
	}
	join(0);
}

// handover: two threads take turns.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static int turn;

static void *plays(void *arg) {
	int me = arg != 0;
	pthread_mutex_lock(&lock);
	for (int n = 0; n < 2000; n++) {
		while (turn != me)
			pthread_cond_wait(&changed[me], &lock);
		turn = !me;
		if (n % 100 == 0)
			printf("%d %d\n", me, n);
		pthread_cond_signal(&changed[!me]);
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

static void handover(void) {
	start(0, plays, &lock);
	plays(0);
	join(0);
}

static const struct {
	const char *name;
	void (*f)(void);
} tests[] = {
	{"wrong", wrong}, {"counts", counts}, {"requeue", requeue}, {"interrupted", interrupted}, {"-c", handover},
};

int main(int argc, char **argv) {
	setvbuf(stdout, 0, _IOLBF, 0);
	for (unsigned i = 0; argc > 1 && i < sizeof tests / sizeof *tests; i++)
		if (!strcmp(argv[1], tests[i].name))
			tests[i].f();
	return 7;
}
