// Makes system calls that are recorded without a stop, in unusual circumstances, and prints
// what they do. With the argument "threads" another thread computes meanwhile.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
static volatile int caught;
static void on(int signal) {
	caught += signal;
	if (signal == SIGVTALRM || caught > 100)
		(void)!write(ends[1], "s", 1);
}

static void handle(int signal, int flags) {
	struct sigaction a = {.sa_handler = on, .sa_flags = flags};
	sigaction(signal, &a, NULL);
}

// soon sends SIGALRM soon, and again and again: the first may come before the call that it
// is to interrupt.
static void soon(void) {
	struct itimerval t = {{0, 20000}, {0, 20000}};
	setitimer(ITIMER_REAL, &t, NULL);
}

static void stop(void) {
	struct itimerval t = {0};
	setitimer(ITIMER_REAL, &t, NULL);
}

static atomic_int end;
static void *computes(void *p) {
	long n = 0;
	while (!end)
		n++;
	return p;
}

// flags makes a system call with the direction and carry flags set, and returns the flags
// that it leaves in r11 and in the flags register.
static void flags(int fd, struct stat *st) {
	unsigned long r11, after, result = SYS_fstat;
	__asm__ volatile("std; stc; syscall; mov %%r11, %1; pushfq; pop %2; cld"
			 : "+a"(result), "=&r"(r11), "=&r"(after) : "D"((long)fd), "S"(st) : "rcx", "r11", "memory", "cc");
	printf("flags %lu %lx %lx %d\n", result, r11 & 0x401, after & 0x401, S_ISREG(st->st_mode));
}

// randomEnd gets random bytes where there is memory for some of them only.
static void randomEnd(void) {
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p + 4096, 4096);
	for (int i = 0; i < 2; i++)
		printf("random %ld\n", syscall(SYS_getrandom, p + 3096, 3000, 0));
}

// bases makes system calls with several values of the base of gs.
static void bases(void) {
	static long area[4];
	long got = 0, result, sum = 0;
	for (int i = 0; i < 4 && getauxval(AT_HWCAP2) & 2; i++) {
		area[i] = i + 1;
		__asm__ volatile("wrgsbase %2; syscall; mov %%gs:0, %1"
				 : "=&a"(result), "=&r"(got) : "r"(&area[i]), "0"((long)SYS_getpid) : "rcx", "r11", "memory");
		sum += got * 10 + (result == getpid());
	}
	printf("bases %ld\n", sum);
}

// storm makes system calls while signals arrive, so that some arrive in the middle of one.
static void storm(int fd) {
	struct itimerval once = {{0, 0}, {0, 60}};
	struct stat st;
	caught = -100000;
	handle(SIGALRM, SA_RESTART);
	for (int i = 0; i < 80; i++) {
		int before = caught;
		setitimer(ITIMER_REAL, &once, NULL);
		while (caught == before)
			fstat(fd, &st);
	}
	printf("storm %d\n", S_ISREG(st.st_mode));
}

int main(int argc, char **argv) {
	pthread_t other;
	int threads = argc > 1 && !strcmp(argv[1], "threads");
	sigset_t set, old;
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, &old); // the other thread gets no signals
	if (threads)
		pthread_create(&other, NULL, computes, NULL);
	sigprocmask(SIG_SETMASK, &old, NULL);
	char b[300000], *volatile bad = (char *)8;
	struct stat st;
	struct timespec t;
	int fd = open("/etc/passwd", O_RDONLY), zero = open("/dev/zero", O_RDONLY);
	if (pipe(ends) || fd < 0 || zero < 0)
		return 1;

	flags(fd, &st);
	randomEnd();
	bases();
	long n = read(fd, bad, 10);
	printf("faults %ld %d", n, errno);
	n = fstat(fd, (struct stat *)bad);
	printf(" %ld %d", n, errno);
	n = syscall(SYS_clock_gettime, CLOCK_MONOTONIC, bad);
	printf(" %ld %d", n, errno);
	n = syscall(SYS_futex, bad, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
	printf(" %ld %d\n", n, errno);

	int word = 5;
	n = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 4, NULL, NULL, 0);
	printf("futex %ld %d %ld\n", n, errno, syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));

	printf("large %ld %ld\n", (long)read(zero, b, 70000), (long)read(zero, b, sizeof b));
	long sum = 0;
	for (int i = 0; i < 12000; i++) {
		sum += syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
		sum += t.tv_nsec == -1;
	}
	printf("many %ld\n", sum);

	int pair[2];
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	(void)!send(pair[0], "truncated", 9, 0);
	memset(b, 'x', 16);
	n = recv(pair[1], b, 3, MSG_TRUNC);
	printf("recv %ld %.5s\n", n, b);

	struct pollfd p[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}};
	n = poll(p, 2, 0);
	printf("poll %ld %d %d\n", n, p[0].revents, p[1].revents);
	struct epoll_event e = {.events = EPOLLOUT, .data.u64 = 77}, got[3] = {{0}};
	int ep = epoll_create1(0);
	epoll_ctl(ep, EPOLL_CTL_ADD, ends[1], &e);
	n = epoll_wait(ep, got, 3, -1);
	printf("epoll %ld %lu\n", n, (unsigned long)got[0].data.u64);

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	handle(SIGUSR1, 0);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR1);
	int before = caught;
	sigprocmask(SIG_UNBLOCK, &set, &old);
	printf("signal %d %d %d\n", before, caught, sigismember(&old, SIGUSR1));

	caught = -10000;
	handle(SIGALRM, 0);
	for (int i = 0; i < 4; i++) { // a handler ends the call
		soon();
		n = read(ends[0], b, 1);
		stop();
		printf("interrupted %ld %d\n", n, errno);
	}
	soon();
	n = poll(p, 1, -1);
	stop();
	printf("poll interrupted %ld %d\n", n, n < 0 ? errno : 0);
	caught = 100;
	handle(SIGALRM, SA_RESTART); // it begins again, and reads what the handler writes
	soon();
	n = read(ends[0], b, 1);
	stop();
	printf("restarted %ld %c\n", n, b[0]);

	storm(fd);

	if (threads) {
		end = 1;
		pthread_join(other, NULL);
	}
	return 5;
}
