// Programs that expect of system calls what the kernel does not promise, each named by the argument.
// They fail by abort(3), and do so only if a call does what it seldom does.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void expect(int holds) {
	if (!holds) abort();
}

static char data[20000], copy[20000];

// A message is read by one call.
static void reads(void) {
	int fd[2];
	expect(pipe(fd) == 0 && write(fd[1], data, 100) == 100);
	expect(read(fd[0], copy, 100) == 100);
}

// A pipe that does not block and has the room takes all.
static void writes(void) {
	int fd[2];
	expect(pipe2(fd, O_NONBLOCK) == 0);
	expect(write(fd[1], data, sizeof data) == sizeof data);
}

// What a program may rely on: small messages in pipes, and calls without handlers of signals.
static void relies(void) {
	int fd[2], s[2];
	expect(pipe2(fd, O_NONBLOCK) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
	for (int i = 0; i < 10; i++) {
		expect(write(fd[1], data, 4096) == 4096);
		expect(write(s[1], data, 4096) == 4096);
		expect(recv(s[0], copy, 4096, MSG_WAITALL) == 4096);
	}
	struct timespec before, after, pause = {0, 2000000};
	clock_gettime(CLOCK_MONOTONIC, &before);
	expect(nanosleep(&pause, 0) == 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	long long waited = (after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec;
	expect(waited >= pause.tv_nsec && pause.tv_nsec == 2000000);
}

// Who returns from waiting was woken.
static int word;
static void *wake(void *p) {
	usleep(1000);
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
	return p;
}
static void wakes(void) {
	pthread_t t;
	expect(pthread_create(&t, 0, wake, 0) == 0);
	if (!__atomic_load_n(&word, __ATOMIC_SEQ_CST)) {
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
		expect(__atomic_load_n(&word, __ATOMIC_SEQ_CST));
	}
	pthread_join(t, 0);
}

// Without handlers nothing is interrupted.
static void polls(void) {
	struct epoll_event e;
	expect(epoll_wait(epoll_create1(0), &e, 1, 1) == 0);
}

// A fifth of a second is enough for the other thread.
static int result;
static void *compute(void *p) {
	__atomic_store_n(&result, 1, __ATOMIC_SEQ_CST);
	return p;
}
static void sleeps(void) {
	pthread_t t;
	expect(pthread_create(&t, 0, compute, 0) == 0);
	usleep(200000);
	expect(__atomic_load_n(&result, __ATOMIC_SEQ_CST));
	pthread_join(t, 0);
}

// The signal has come long before the call.
static int to_fill[2];
static void *fill(void *p) {
	usleep(300000);
	expect(write(to_fill[1], data, 1) == 1);
	return p;
}
static void handle(int n) { (void)n; }
static void interrupts(void) {
	struct sigaction action = {.sa_handler = handle};
	struct itimerval soon = {.it_value.tv_usec = 1000};
	pthread_t t;
	sigset_t alarm;
	expect(pipe(to_fill) == 0);
	sigemptyset(&alarm), sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, 0); // of the other thread
	expect(pthread_create(&t, 0, fill, 0) == 0);
	sigaction(SIGALRM, &action, 0);
	pthread_sigmask(SIG_UNBLOCK, &alarm, 0);
	setitimer(ITIMER_REAL, &soon, 0);
	for (volatile int k = 0; k < 2000000; k++) {} // some milliseconds without a system call
	expect(read(to_fill[0], copy, 1) == 1);
	pthread_join(t, 0);
}

// A signal that was sent to oneself has been handled.
static volatile sig_atomic_t handled;
static void count(int n) { (void)n, handled++; }
static void raises(void) {
	signal(SIGUSR1, count);
	for (int i = 1; i <= 20; i++) {
		raise(SIGUSR1);
		expect(handled == i);
	}
}

int main(int argc, char **argv) {
	static const struct {
		const char *name;
		void (*run)(void);
	} programs[] = {{"reads", reads}, {"writes", writes}, {"relies", relies}, {"wakes", wakes}, {"polls", polls},
		{"sleeps", sleeps}, {"interrupts", interrupts}, {"raises", raises}};
	for (unsigned i = 0; i < sizeof programs / sizeof *programs; i++)
		if (argc > 1 && !strcmp(argv[1], programs[i].name)) return programs[i].run(), 0;
	return 2;
}
