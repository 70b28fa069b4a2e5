// Programs with a race each, which is named by the argument. They fail by abort(3), or never end
// (deadlocks and the lost wake-up).
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMES 200

static pthread_t start(void *(*f)(void *), void *p) {
	pthread_t t;
	if (pthread_create(&t, 0, f, p)) exit(2);
	return t;
}

static void both(void *(*f)(void *), void *(*g)(void *)) {
	pthread_t a = start(f, 0), b = start(g, 0);
	pthread_join(a, 0), pthread_join(b, 0);
}

// A counter without a lock.
static volatile long counter;
static void *count(void *p) {
	for (int i = 0; i < TIMES; i++) counter = counter + 1;
	return p;
}
static int lost(void) {
	both(count, count);
	return counter != 2 * TIMES;
}

// A stack without locks: its top may be popped and pushed again between a load and the exchange.
struct node { struct node *next; atomic_int owned; };
static struct node nodes[3];
static _Atomic(struct node *) top;
static struct node *pop(void) {
	for (;;) {
		struct node *n = atomic_load(&top);
		if (!n) return 0;
		struct node *next = n->next;
		if (atomic_compare_exchange_strong(&top, &n, next)) return n;
	}
}
static void push(struct node *n) {
	n->next = atomic_load(&top);
	while (!atomic_compare_exchange_strong(&top, &n->next, n)) {}
}
static void *cycle(void *p) {
	for (int i = 0; i < TIMES; i++) {
		struct node *a = pop(), *b = pop();
		if (a && atomic_exchange(&a->owned, 1)) abort();
		if (b && atomic_exchange(&b->owned, 1)) abort();
		if (a) atomic_store(&a->owned, 0), push(a);
		if (b) atomic_store(&b->owned, 0), push(b);
	}
	return p;
}
static int aba(void) {
	for (int i = 0; i < 3; i++) push(&nodes[i]);
	both(cycle, cycle);
	return 0;
}

// A thread that is started before what it needs is ready.
static int *volatile settings;
static void *use_settings(void *p) {
	char text[64];
	snprintf(text, sizeof text, "%d", 7);
	return settings[0] == atoi(text) ? p : (abort(), p);
}
static int order(void) {
	pthread_t t = start(use_settings, 0);
	int *s = malloc(sizeof *s);
	*s = 7;
	settings = s;
	pthread_join(t, 0);
	return 0;
}

// A handler that allocates from the list that it has interrupted.
struct block { struct block *next; int used; } blocks[TIMES];
static struct block *volatile list;
static struct block *take(void) {
	struct block *b = list;
	if (!b) return 0;
	list = b->next;
	if (b->used++) abort();
	return b;
}
static void give(struct block *b) { b->used = 0, b->next = list, list = b; }
static void handle(int n) { (void)n, take(); }
static atomic_int done;
static void *signals(void *p) {
	for (int i = 0; i < 20 && !done; i++) {
		pthread_kill(*(pthread_t *)p, SIGUSR1);
		for (volatile int k = 0; k < 500; k++) {}
	}
	return p;
}
static int handler(void) {
	pthread_t self = pthread_self();
	for (int i = 0; i < TIMES; i++) give(&blocks[i]);
	signal(SIGUSR1, handle);
	pthread_t t = start(signals, &self);
	for (int i = 0; i < 5 * TIMES; i++) {
		struct block *b = take();
		for (volatile int k = 0; k < 20; k++) {}
		if (b) give(b);
	}
	done = 1;
	pthread_join(t, 0);
	return 0;
}

// Two words that belong together.
static volatile long low, high;
static void *write_both(void *p) {
	for (long i = 1; i <= TIMES; i++) {
		low = i, high = i;
		for (volatile int k = 0; k < 50; k++) {}
	}
	return p;
}
static void *read_both(void *p) {
	for (long i = 1; i <= TIMES; i++) {
		long l = low, h = high;
		if (h - l > 0 || l - h > 1) continue; // more than one write between: no tear
		if (l != h) abort();
		for (volatile int k = 0; k < 50; k++) {}
	}
	return p;
}
static int torn(void) {
	both(write_both, read_both);
	return 0;
}

// Locks that are taken in different orders.
static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int number_of_locks;
static void *lock_two(void *p) {
	long n = (long)p;
	pthread_mutex_t *first = &locks[n], *second = &locks[(n + 1) % number_of_locks];
	for (int i = 0; i < TIMES / 10; i++) {
		pthread_mutex_lock(first);
		pthread_mutex_lock(second);
		counter++;
		pthread_mutex_unlock(second);
		pthread_mutex_unlock(first);
		for (volatile int k = 0; k < 200; k++) {}
	}
	return p;
}
static int deadlock(int n) {
	pthread_t t[3];
	number_of_locks = n;
	for (long i = 0; i < n; i++) t[i] = start(lock_two, (void *)i);
	for (int i = 0; i < n; i++) pthread_join(t[i], 0);
	return 0;
}

// A flag that is tested outside of the lock.
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static volatile int ready;
static void *announce(void *p) {
	for (volatile int k = 0; k < 1000; k++) {}
	ready = 1;
	pthread_cond_signal(&condition);
	return p;
}
static int wakeup(void) {
	pthread_t t = start(announce, 0);
	if (!ready) {
		pthread_mutex_lock(&locks[0]);
		pthread_cond_wait(&condition, &locks[0]);
		pthread_mutex_unlock(&locks[0]);
	}
	pthread_join(t, 0);
	return 0;
}

int main(int argc, char **argv) {
	const char *name = argc > 1 ? argv[1] : "";
	int failed = 2;
	if (!strcmp(name, "lost")) failed = lost();
	if (!strcmp(name, "aba")) failed = aba();
	if (!strcmp(name, "order")) failed = order();
	if (!strcmp(name, "handler")) failed = handler();
	if (!strcmp(name, "torn")) failed = torn();
	if (!strcmp(name, "deadlock2")) failed = deadlock(2);
	if (!strcmp(name, "deadlock3")) failed = deadlock(3);
	if (!strcmp(name, "wakeup")) failed = wakeup();
	if (failed == 1) abort();
	return failed;
}
