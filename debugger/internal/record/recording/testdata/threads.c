// threads does one of several things with threads.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_t others[8];
static long sum;

static void start(void *(*f)(void *), int n) {
	for (long i = 0; i < n; i++)
		if (pthread_create(&others[i], NULL, f, (void *)i))
			abort();
}

static long finish(int n) {
	long total = 0;
	for (int i = 0; i < n; i++) {
		void *result;
		if (pthread_join(others[i], &result))
			abort();
		total += (long)result;
	}
	return total;
}

// join: threads that compute.
static void *square(void *p) {
	volatile long x = 0;
	for (long i = 0; i < 1000000; i++)
		x += (long)p;
	return (void *)(x * (long)p);
}

// condition: three threads take turns by a condition variable.
static int turn;
static void *inturn(void *p) {
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&mutex);
		while (turn != (long)p)
			pthread_cond_wait(&condition, &mutex);
		sum = sum * 3 % 1000003 + turn;
		turn = (turn + 1) % 3;
		pthread_cond_broadcast(&condition);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

// handover: two threads by spinning, with and without sched_yield.
static atomic_int flag;
static void *spin(void *p) {
	for (int i = 0; i < 40; i++) {
		while (atomic_load(&flag) != (long)p)
			if (i % 2)
				sched_yield();
		sum += i;
		atomic_store(&flag, !(long)p);
	}
	return NULL;
}

// local: thread-local storage and vector registers.
static __thread long mine;
static void *local(void *p) {
	double x = 1 + (long)p;
	for (int i = 0; i < 300000; i++) {
		mine += (long)p;
		x = x * 1.0000001 + 1e-9 * mine;
	}
	pthread_mutex_lock(&mutex);
	sum += mine + (long)(x * 1000);
	pthread_mutex_unlock(&mutex);
	return (void *)mine;
}

// signals: to certain threads, which compute or wait.
static atomic_int caught[8];
static __thread int number;
static void handler(int signal) { (void)signal; atomic_fetch_add(&caught[number], 1); }
static void *compute(void *p) {
	number = (long)p;
	atomic_fetch_add(&flag, 1);
	while (atomic_load(&caught[number]) < 5)
		for (volatile int i = 0; i < 1000; i++)
			;
	return NULL;
}
static int ends[2];
static void *waits(void *p) {
	char c;
	number = (long)p;
	atomic_fetch_add(&flag, 1);
	int interrupted = 0;
	while (read(ends[0], &c, 1) < 0 && errno == EINTR)
		interrupted = 1;
	return (void *)(long)(c + interrupted);
}

// robust: a thread ends with a robust mutex.
static pthread_mutex_t robust;
static void *dies(void *p) { pthread_mutex_lock(&robust); return p; }

// sleep, read, poll, leader
static void *sleeps(void *p) {
	struct timespec t = {0, 3000000 * (1 + (long)p)}, rem = {7, 7};
	nanosleep(&t, &rem);
	return (void *)rem.tv_sec;
}
static void *reads(void *p) {
	char b[16] = "";
	long total = 0;
	for (ssize_t n; (n = read(ends[0], b, sizeof b)) > 0;)
		for (ssize_t i = 0; i < n; i++)
			total += b[i];
	(void)p;
	return (void *)total;
}
static int event;
static void *polls(void *p) {
	struct pollfd f = {ends[0], POLLIN, 0};
	struct timeval t = {20, 0};
	fd_set set;
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	struct epoll_event e = {EPOLLIN, {.u64 = 11}};
	int q = epoll_create1(0);
	epoll_ctl(q, EPOLL_CTL_ADD, ends[0], &e);
	switch ((long)p) {
	case 0:
		return (void *)(long)(poll(&f, 1, 20000) + f.revents);
	case 1:
		return (void *)(long)(select(ends[0] + 1, &set, NULL, NULL, &t) + (t.tv_sec > 0));
	case 2:
		return (void *)(long)(epoll_wait(q, &e, 1, 20000) + (long)e.data.u64);
	}
	struct timespec s = {20, 0};
	return (void *)(long)(ppoll(&f, 1, &s, NULL) + f.revents);
}
static void *last(void *p) {
	pthread_join(*(pthread_t *)p, NULL);
	puts("after main");
	fflush(stdout);
	exit(3);
}
static void *stays(void *p) { for (;;) pause(); return p; }
static void *child(void *p) {
	pid_t pid = fork();
	if (pid == 0)
		_exit(7);
	int status;
	waitpid(pid, &status, 0);
	(void)p;
	return (void *)(long)WEXITSTATUS(status);
}
static void *executes(void *p) {
	execl("/bin/echo", "echo", "another program", NULL);
	return p;
}

// shared: a thread that starts after memory was mapped that a child would share.
static void *writes(void *p) { *(long *)p = 77; return NULL; }

// unknown: a thread waits in a system call that few programs make: it opens a FIFO by its
// handle, if it may, and otherwise by its name.
static char fifo[] = "/tmp/fifoXXXXXX";
static void *opens(void *p) {
	union { struct file_handle h; char b[200]; } u = {.h.handle_bytes = 128};
	int mount, fd = -1, folder = open("/tmp", O_RDONLY);
	if (name_to_handle_at(AT_FDCWD, fifo, &u.h, &mount, 0) == 0)
		fd = open_by_handle_at(folder, &u.h, O_RDONLY);
	if (fd < 0)
		fd = open(fifo, O_RDONLY);
	char c = 0;
	(void)p;
	return (void *)(long)(read(fd, &c, 1) + c);
}

// timeouts: threads wait for nothing, with timeouts, while another one computes.
static int sockets[2];
static struct timespec soon = {0, 100000000};
static void *expires(void *p) {
	struct epoll_event e;
	sigset_t none;
	char c;
	long result = 0;
	sigemptyset(&none);
	sigaddset(&none, SIGUSR2);
	switch ((long)p) {
	case 0:
		result = syscall(SYS_epoll_pwait2, epoll_create1(0), &e, 1, &soon, NULL, 0);
		break;
	case 1:
		result = sigtimedwait(&none, &(siginfo_t){0}, &soon) < 0 && errno == EAGAIN;
		break;
	case 2:
		result = read(sockets[0], &c, 1) < 0 && errno == EAGAIN;
		break;
	case 3:
		result = epoll_wait(epoll_create1(0), &e, 1, 100);
	}
	atomic_fetch_add(&flag, 1);
	return (void *)result;
}

int main(int argc, char **argv) {
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t self = pthread_self();
	if (pipe(ends))
		return 1;
	signal(SIGUSR1, handler);
	if (!strcmp(what, "join")) {
		start(square, 4);
		sum = finish(4);
	} else if (!strcmp(what, "condition")) {
		start(inturn, 3);
		finish(3);
	} else if (!strcmp(what, "handover")) {
		start(spin, 2);
		finish(2);
	} else if (!strcmp(what, "local")) {
		start(local, 4);
		sum += finish(4);
	} else if (!strcmp(what, "signals")) {
		start(compute, 2);
		struct sigaction a = {.sa_handler = handler};
		sigaction(SIGUSR2, &a, NULL); // without SA_RESTART
		pthread_create(&others[2], NULL, waits, (void *)2L);
		while (atomic_load(&flag) < 3)
			sched_yield();
		for (int i = 0; i < 2; i++)
			for (int k = 0; k < 5; k++) {
				int before = atomic_load(&caught[i]);
				pthread_kill(others[i], SIGUSR1);
				while (atomic_load(&caught[i]) == before)
					sched_yield();
			}
		while (!atomic_load(&caught[2])) {
			pthread_kill(others[2], SIGUSR2);
			usleep(2000);
		}
		if (write(ends[1], "A", 1) != 1)
			return 1;
		sum = finish(3) > 0;
	} else if (!strcmp(what, "fork")) {
		start(child, 3);
		sum = finish(3);
	} else if (!strcmp(what, "exec")) {
		start(stays, 2);
		pthread_create(&others[2], NULL, executes, NULL);
		pause();
	} else if (!strcmp(what, "leader")) {
		pthread_create(&others[0], NULL, last, &self);
		pthread_exit(NULL);
	} else if (!strcmp(what, "group")) {
		start(stays, 3);
		usleep(1000);
		printf("%d\n", argc);
		return 9;
	} else if (!strcmp(what, "sleep")) {
		start(sleeps, 3);
		square((void *)1L);
		sum = finish(3);
	} else if (!strcmp(what, "robust")) {
		pthread_mutexattr_t attributes;
		pthread_mutexattr_init(&attributes);
		pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
		pthread_mutex_init(&robust, &attributes);
		start(dies, 1);
		finish(1);
		sum = pthread_mutex_lock(&robust) == EOWNERDEAD;
	} else if (!strcmp(what, "read")) {
		start(reads, 2);
		for (int i = 0; i < 50; i++) {
			square((void *)1L);
			if (write(ends[1], "abcdefgh", 8) != 8)
				return 1;
		}
		close(ends[1]);
		sum = finish(2);
	} else if (!strcmp(what, "shared")) {
		long *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		pthread_create(&others[0], NULL, writes, p);
		finish(1);
		sum = *p;
	} else if (!strcmp(what, "timeouts")) {
		struct timeval t = {0, 100000};
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) ||
		    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t))
			return 1;
		start(expires, 4);
		for (time_t end = time(NULL) + 20; atomic_load(&flag) < 4 && time(NULL) < end;)
			square((void *)1L);
		socklen_t n = sizeof t;
		printf("%d expired, %ld", atomic_load(&flag), soon.tv_nsec);
		getsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &t, &n);
		printf(", %ld\n", (long)t.tv_usec);
		fflush(stdout);
		_exit(flag == 4 && finish(4) == 2 ? 4 : 5);
	} else if (!strcmp(what, "unknown")) {
		close(mkstemp(fifo));
		if (unlink(fifo) || mkfifo(fifo, 0600))
			return 1;
		start(opens, 1);
		for (int i = 0; i < 5; i++)
			square((void *)1L);
		int end = open(fifo, O_WRONLY);
		unlink(fifo);
		if (write(end, "u", 1) != 1)
			return 1;
		sum = finish(1);
	} else if (!strcmp(what, "poll")) {
		start(polls, 4);
		for (int i = 0; i < 20; i++)
			square((void *)1L);
		if (write(ends[1], "a", 1) != 1)
			return 1;
		sum = finish(4);
	}
	printf("%s %ld\n", what, sum);
	return 4;
}
