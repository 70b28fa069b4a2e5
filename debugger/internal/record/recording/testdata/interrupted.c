// Waits in system calls that the kernel does not restart, while signals without effect arrive
// and other threads run, and prints what the calls return.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static void rest(int milliseconds) {
	struct timespec t = {0, milliseconds * 1000000L};
	nanosleep(&t, NULL);
}

// writer writes after a while in which the first thread was interrupted.
static void *writer(void *p) {
	for (int i = 0; i < 3; i++)
		rest(60);
	(void)!write(ends[1], "x", 1);
	return p;
}

// children makes children: one ends, another one sends a signal and writes later.
static void children(void) {
	pid_t parent = getpid();
	if (fork() == 0) {
		rest(20);
		_exit(0);
	}
	if (fork() == 0) {
		rest(40);
		kill(parent, SIGWINCH);
		rest(20);
		(void)!write(ends[1], "x", 1);
		_exit(0);
	}
}

static void print(const char *name, long n) {
	char b;
	printf("%s %ld %d\n", name, n, n < 0 ? errno : 0);
	fflush(stdout);
	(void)!read(ends[0], &b, 1);
}

int main(void) {
	struct epoll_event e = {.events = EPOLLIN};
	pthread_t other;
	int ep = epoll_create1(0);
	if (pipe(ends) || epoll_ctl(ep, EPOLL_CTL_ADD, ends[0], &e))
		return 1;
	children();
	print("epoll_wait", epoll_wait(ep, &e, 1, -1));
	children();
	print("epoll_pwait2", syscall(SYS_epoll_pwait2, ep, &e, 1, NULL, NULL, 0));
	signal(SIGWINCH, SIG_IGN);
	children();
	print("ignored", epoll_wait(ep, &e, 1, -1));
	pthread_create(&other, NULL, writer, NULL);
	rest(20); // the other thread begins to wait
	print("thread", epoll_wait(ep, &e, 1, -1));
	pthread_join(other, NULL);
	return 0;
}
