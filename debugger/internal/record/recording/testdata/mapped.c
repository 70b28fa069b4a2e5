// mapped: a program that makes frequent system calls while it has mapped a file in shared memory.
// The first argument says what happens to the file, the second is its path.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { page = 4096, calls = 300 };
static volatile unsigned char *p;
static unsigned long sum;

// sees adds the mapping to the sum, and passes the sum to the kernel, by a call that needs no
// stop, where a replay compares it.
static void sees(void) {
	for (int i = 0; i < 64; i++)
		sum = sum * 31 + p[i];
	syscall(SYS_lseek, -1, sum, SEEK_SET);
}

static void expect(int right) {
	if (!right)
		exit(1);
}

// received returns a descriptor that has come over a socket.
static int received(int fd) {
	int ends[2], got;
	char c;
	union { struct cmsghdr h; char b[CMSG_SPACE(sizeof fd)]; } u = {.h = {CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec v = {&c, 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &u, .msg_controllen = sizeof u};
	memcpy(CMSG_DATA(&u.h), &fd, sizeof fd);
	expect(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends) && sendmsg(ends[0], &m, 0) == 1 && recvmsg(ends[1], &m, 0) == 1);
	memcpy(&got, CMSG_DATA(&u.h), sizeof got);
	return got;
}

// writes changes the file by all kinds of descriptors.
static void writes(const char *path) {
	int fd = open(path, O_WRONLY);
	for (int i = 0; i < 9; i++) {
		int d = i == 1 ? dup(fd) : i == 2 ? dup2(fd, 40) : i == 3 ? fcntl(fd, F_DUPFD, 50) : fd;
		if (i == 4)
			d = dup2(fd, 100);
		else if (i == 5)
			d = received(fd);
		else if (i == 6) {
			close(fd);
			d = fd = open(path, O_RDWR);
		}
		sees();
		expect(pwrite(d, "pwrite", 6, i) == 6);
		sees();
		lseek(d, 10 + i, SEEK_SET);
		expect(write(d, "write", 5) == 5);
		sees();
		struct iovec v[2] = {{"vec", 3}, {"tor", 3}};
		expect(writev(d, v, 2) == 6);
		sees();
	}
}

// counts makes many system calls, few of which may stop the program: a stop is a switch.
static void counts(void) {
	struct rusage before, after;
	struct timespec t;
	unsigned char b[9], modes[60] = {0};
	int null = open("/dev/null", O_WRONLY), terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY);
	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < calls; i++) {
		int fd = open("/etc/passwd", O_RDONLY);
		expect(read(fd, b, sizeof b) == sizeof b && !close(fd) && !clock_gettime(CLOCK_MONOTONIC, &t) && write(null, b, 9) == 9);
		ioctl(i % 2 ? null : terminal, TCGETS, modes);
	}
	getrusage(RUSAGE_SELF, &after);
	expect(after.ru_nvcsw - before.ru_nvcsw < calls);
	for (unsigned i = 0; i < sizeof modes; i++)
		sum = sum * 31 + modes[i];
	sees();
}

// other lets another process write the file.
static void other(const char *path) {
	int tell[2], answer[2];
	char c;
	expect(!pipe(tell) && !pipe(answer));
	munmap((void *)p, page);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		expect(read(tell[0], &c, 1) == 1 && pwrite(open(path, O_WRONLY), "other", 5, 3) == 5 && write(answer[1], "", 1) == 1);
		pause(); // without a signal of its end
	}
	p = mmap(NULL, page, PROT_READ, MAP_SHARED, open(path, O_RDONLY), 0);
	sees();
	expect(write(tell[1], "", 1) == 1 && read(answer[0], &c, 1) == 1);
	sees();
}

int main(int argc, char **argv) {
	const char *what = argv[1], *path = argv[2];
	int writable = !strcmp(what, "writable");
	expect(argc == 3 && !truncate(path, page));
	p = mmap(NULL, page, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, open(path, writable ? O_RDWR : O_RDONLY), 0);
	expect(p != MAP_FAILED);
	if (writable)
		p[1] = 1;
	if (!strcmp(what, "writes"))
		writes(path);
	else if (!strcmp(what, "other"))
		other(path);
	else
		counts();
	printf("%lu\n", sum);
	return 3;
}
