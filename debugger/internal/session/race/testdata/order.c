// Programs with and without a data race, which are named by the argument. The comments of the first
// eleven say which variable has the race.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMES 100

static void both(void *(*f)(void *), void *(*g)(void *), void *p) {
	pthread_t a, b;
	if (pthread_create(&a, 0, f, p) || pthread_create(&b, 0, g, p)) exit(2);
	pthread_join(a, 0), pthread_join(b, 0);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int value, ready, total;

// A flag that is no atomic: ready, value.
static void *flag_set(void *p) { value = 42, ready = 1; return p; }
static void *flag_wait(void *p) {
	for (int n = 0; n < 100000 && !ready; n++) {}
	return value == 42 ? p : 0;
}
static void flag(void) { both(flag_set, flag_wait, 0); }

// One of two threads takes the lock: total.
static void *half_locked(void *p) {
	for (int n = 0; n < TIMES; n++) pthread_mutex_lock(&lock), total++, pthread_mutex_unlock(&lock);
	return p;
}
static void *half_bare(void *p) {
	for (int n = 0; n < TIMES; n++) total++;
	return p;
}
static void half(void) { both(half_locked, half_bare, 0); }

// The same, and long after it nothing but what one thread does: total.
static void early(void) {
	half();
	for (volatile long n = 0; n < 10000000; n++) {}
}

// Each thread has a lock of its own: total.
static void *otherwise_locked(void *p) {
	for (int n = 0; n < TIMES; n++) pthread_mutex_lock(&other), total++, pthread_mutex_unlock(&other);
	return p;
}
static void two_locks(void) { both(half_locked, otherwise_locked, 0); }

// Writes below a lock for readers: total.
static void *read_locked(void *p) {
	for (int n = 0; n < TIMES; n++) pthread_rwlock_rdlock(&rwlock), total++, pthread_rwlock_unlock(&rwlock);
	return p;
}
static void read_lock(void) { both(read_locked, read_locked, 0); }

// A local variable of main, which is read before the thread has ended: result.
static void *local_set(void *p) { *(volatile int *)p = 7; return 0; }
static void local(void) {
	volatile int result = 0;
	pthread_t t;
	if (pthread_create(&t, 0, local_set, (void *)&result)) exit(2);
	total = result;
	pthread_join(t, 0);
}

// Memory that another thread frees: item. That thread takes it again, since the C library writes into
// what is in a thread's cache of blocks when the thread ends. The library has a pointer at the start of
// a free block and a key behind it, whose change it bears.
static struct item { void *start; int n; } *volatile item;
static void *volatile kept;
static void *free_item(void *p) { free(item); kept = malloc(sizeof *item); return p; }
static void *use_item(void *p) { item->n++; return p; }
static void freed(void) {
	item = calloc(1, sizeof *item);
	both(use_item, free_item, 0);
}

// Two members in one byte: bits.
static volatile struct { unsigned a : 3, b : 3; } bits;
static void *set_a(void *p) {
	for (int n = 0; n < TIMES; n++) bits.a = n;
	return p;
}
static void *set_b(void *p) {
	for (int n = 0; n < TIMES; n++) bits.b = n;
	return p;
}
static void fields(void) { both(set_a, set_b, 0); }

// A copy by the C library: text.
static char text[256];
static void *copy_text(void *p) { memcpy(text, p, sizeof text); return p; }
static void *read_text(void *p) { total = ((volatile char *)text)[100]; return p; }
static void copied(void) {
	char *source = calloc(1, sizeof text);
	both(copy_text, read_text, source);
}

// A value that is made when it is first needed: made.
static int *volatile made;
static void *make(void *p) {
	if (!made) made = calloc(1, sizeof *made);
	return p;
}
static void lazy(void) { both(make, make, 0); }

// The kernel writes what another thread reads: text.
static void *fill_text(void *p) { return read(*(int *)p, text, sizeof text) < 0 ? 0 : p; }
static void filled(void) {
	int f = open("/dev/zero", O_RDONLY);
	both(fill_text, read_text, &f);
}

// The others have no race.
static void mutex(void) { both(half_locked, half_locked, 0); }

static void *write_locked(void *p) {
	for (int n = 0; n < TIMES; n++) pthread_rwlock_wrlock(&rwlock), total++, pthread_rwlock_unlock(&rwlock);
	return p;
}
static void *read_only(void *p) {
	int sum = 0;
	for (int n = 0; n < TIMES; n++) pthread_rwlock_rdlock(&rwlock), sum += total, pthread_rwlock_unlock(&rwlock);
	return sum < 0 ? 0 : p;
}
static void rw_lock(void) { both(write_locked, read_only, 0); }

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void *produce(void *p) {
	for (int n = 0; n < TIMES; n++) {
		pthread_mutex_lock(&lock);
		while (ready) pthread_cond_wait(&changed, &lock);
		value = n, ready = 1;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return p;
}
static void *consume(void *p) {
	for (int n = 0; n < TIMES; n++) {
		pthread_mutex_lock(&lock);
		while (!ready) pthread_cond_wait(&changed, &lock);
		total += value, ready = 0;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return p;
}
static void condition(void) { both(produce, consume, 0); }

static pthread_barrier_t barrier;
static int halves[2];
static void *first_half(void *p) { halves[0] = 1, pthread_barrier_wait(&barrier), pthread_barrier_wait(&barrier); return halves[1] ? p : 0; }
static void *second_half(void *p) {
	pthread_barrier_wait(&barrier);
	if (!halves[0]) abort();
	halves[1] = 1;
	pthread_barrier_wait(&barrier);
	return p;
}
static void barriers(void) {
	pthread_barrier_init(&barrier, 0, 2);
	both(first_half, second_half, 0);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make_once(void) { made = calloc(1, sizeof *made); }
static void *use_once(void *p) { pthread_once(&once, make_once); return *made ? 0 : p; }
static void at_once(void) { both(use_once, use_once, 0); }

static void *add(void *p) { ++*(int *)p; return p; }
static void joined(void) {
	int *n = calloc(1, sizeof *n);
	for (int k = 0; k < 3; k++) {
		pthread_t t;
		if (pthread_create(&t, 0, add, n)) exit(2);
		pthread_join(t, 0);
		++*n;
	}
	free(n);
}

static void *send_value(void *p) { value = 42; return write(((int *)p)[1], "x", 1) == 1 ? p : 0; }
static void *receive_value(void *p) {
	char c;
	return read(((int *)p)[0], &c, 1) == 1 && value == 42 ? p : (abort(), p);
}
static void piped(void) {
	int ends[2];
	if (pipe(ends)) exit(2);
	both(send_value, receive_value, ends);
}

static _Atomic int published;
static void *publish(void *p) {
	value = 42;
	atomic_store_explicit(&published, 1, memory_order_release);
	return p;
}
static void *subscribe(void *p) {
	for (int n = 0; n < 100000; n++)
		if (atomic_load_explicit(&published, memory_order_acquire)) return value == 42 ? p : (abort(), p);
	return p;
}
static void acquired(void) { both(publish, subscribe, 0); }

static pthread_spinlock_t spin;
static void *spin_add(void *p) {
	for (int n = 0; n < TIMES; n++) pthread_spin_lock(&spin), total++, pthread_spin_unlock(&spin);
	return p;
}
static void spinning(void) {
	pthread_spin_init(&spin, 0);
	both(spin_add, spin_add, 0);
}

static sem_t tokens;
static char bytes[8];
static void *post(void *p) { value = 42, sem_post(&tokens), bytes[1]++; return p; }
static void *wait_for(void *p) { bytes[2]++; while (sem_wait(&tokens)) {} return value == 42 ? p : (abort(), p); }
static void semaphore(void) {
	sem_init(&tokens, 0, 0);
	both(post, wait_for, 0);
}

int main(int argc, char **argv) {
	static const struct { const char *name; void (*run)(void); } all[] = {
		{"flag", flag}, {"half", half}, {"early", early}, {"two_locks", two_locks}, {"read_lock", read_lock}, {"local", local},
		{"freed", freed}, {"fields", fields}, {"copied", copied}, {"lazy", lazy}, {"filled", filled},
		{"mutex", mutex}, {"rw_lock", rw_lock}, {"condition", condition}, {"barriers", barriers}, {"at_once", at_once},
		{"joined", joined}, {"piped", piped}, {"acquired", acquired}, {"spinning", spinning}, {"semaphore", semaphore},
	};
	for (unsigned n = 0; argc > 1 && n < sizeof all / sizeof *all; n++)
		if (!strcmp(all[n].name, argv[1])) return all[n].run(), 0;
	return 2;
}
