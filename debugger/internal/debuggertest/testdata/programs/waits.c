// Waits has threads that each wait for something else, two of them for each other.
//
// Commands: any ends the main thread's wait; the answer is "waiting". With an argument the
// program ends itself as soon as all threads are about to wait.
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct account {
	long balance;
	pthread_mutex_t lock;
};

static struct account accounts[3];
static struct { int unused; pthread_rwlock_t lock; } table;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t free_one = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int ends[2], listener, events;
static pthread_t sleeper;
static atomic_int locked, begun;

static void transfer(struct account *from, struct account *to) {
	pthread_mutex_lock(&from->lock);
	for (locked++; locked < 2;) { // both have one lock
	}
	begun++;
	pthread_mutex_lock(&to->lock);
}

static void *one(void *x) { transfer(&accounts[1], &accounts[2]); return x; }
static void *two(void *x) { transfer(&accounts[2], &accounts[1]); return x; }
static void *condition(void *x) { begun++; pthread_mutex_lock(&free_one); pthread_cond_wait(&changed, &free_one); return x; }
static void *semaphores(void *x) { begun++; sem_wait(&semaphore); return x; }
static void *reader(void *x) { begun++; pthread_rwlock_rdlock(&table.lock); return x; }
static void *barriers(void *x) { begun++; pthread_barrier_wait(&barrier); return x; }
static void *reads(void *x) { char c; begun++; if (read(ends[0], &c, 1)) {} return x; }
static void *accepts(void *x) { begun++; accept(listener, 0, 0); return x; }
static void *polls(void *x) { begun++; poll((struct pollfd[]){{ends[0], POLLIN, 0}, {listener, POLLIN, 0}}, 2, 1 << 30); return x; }
static void *epolls(void *x) { struct epoll_event e; begun++; epoll_wait(events, &e, 1, -1); return x; }
static void *sleeps(void *x) { begun++; sleep(1 << 20); return x; }
static void *joins(void *x) { begun++; pthread_join(sleeper, 0); return x; }
static void *pauses(void *x) { begun++; pause(); return x; }

int main(int argc, char **argv) {
	void *(*all[])(void *) = {one, two, condition, semaphores, reader, barriers, reads, accepts, polls, epolls, joins, pauses};
	int n = sizeof all / sizeof *all;
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char line[64];
	(void)argv;
	for (int i = 0; i < 3; i++) pthread_mutex_init(&accounts[i].lock, 0);
	pthread_rwlock_init(&table.lock, 0);
	pthread_rwlock_wrlock(&table.lock);
	pthread_barrier_init(&barrier, 0, 2);
	sem_init(&semaphore, 0, 0);
	if (pipe(ends)) return 1;
	listener = socket(AF_INET, SOCK_STREAM, 0);
	bind(listener, (void *)&address, sizeof address);
	listen(listener, 1);
	events = epoll_create1(0);
	pthread_create(&sleeper, 0, sleeps, 0);
	for (int i = 0; i < n; i++) {
		pthread_t t;
		pthread_create(&t, 0, all[i], 0);
	}
	while (begun < n + 1) usleep(1000);
	if (argc > 1) {
		for (int i = 0; i < 100; i++) usleep(1000); // the others run meanwhile
		raise(SIGKILL);
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		puts("waiting");
		fflush(stdout);
	}
}
