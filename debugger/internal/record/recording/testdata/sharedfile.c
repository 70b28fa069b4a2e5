// sharedfile: a program that maps a file in shared memory, with an argument that says what
// else happens to the file.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { page = 4096 };
static unsigned long sum;

// sees adds memory to the sum, and passes the sum to the kernel, where a replay compares it.
static void sees(const volatile unsigned char *p, int n) {
	for (int i = 0; i < n; i++)
		sum = sum * 31 + p[i];
	syscall(SYS_getppid, sum);
}

static volatile unsigned char *map(int fd, long pages, long at) {
	void *p = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at * page);
	if (p == MAP_FAILED)
		exit(1);
	return p;
}

static int tell[2], answer[2];

// other starts a process that does something with the file when the program says so.
static void other(void (*act)(void)) {
	char c;
	if (pipe(tell) || pipe(answer))
		exit(1);
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(tell[0], &c, 1) != 1)
		_exit(1);
	act();
	if (write(answer[1], "", 1) != 1)
		_exit(1);
	pause();
}

static void signalOther(void) {
	char c;
	if (write(tell[1], "", 1) != 1 || read(answer[0], &c, 1) != 1)
		exit(1);
}

static const char *path;

static void stores(void) { map(open(path, O_RDWR), 1, 0)[7] = 77; }
static void storesSoon(void) {
	usleep(getpid() * 37 % 3000);
	stores();
}
static void storesAndCloses(void) {
	int fd = open(path, O_RDWR);
	void *p = (void *)map(fd, 1, 0);
	((char *)p)[7] = 77;
	munmap(p, page);
	close(fd);
}
static void writes(void) {
	if (pwrite(open(path, O_WRONLY), "W", 1, 7) != 1)
		_exit(1);
}
static void reads(void) {
	char c;
	int fd = open(path, O_RDONLY);
	if (pread(fd, &c, 1, 7) != 1)
		_exit(1);
	close(fd);
}

static void pass(int fd) {
	int ends[2];
	union { struct cmsghdr h; char b[CMSG_SPACE(sizeof fd)]; } u = {.h = {CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec v = {"x", 1};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &u, .msg_controllen = sizeof u};
	memcpy(CMSG_DATA(&u.h), &fd, sizeof fd);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || sendmsg(ends[0], &m, 0) != 1)
		exit(1);
}

// alone changes the file by all means.
static void alone(int fd) {
	volatile unsigned char *first = map(fd, 2, 0), *last = map(fd, 1, 3);
	for (int i = 0; i < 2 * page; i++)
		first[i] = i * i;
	last[1] = 9;
	sees(first, 2 * page);
	if (pwrite(fd, "pwrite", 6, page - 3) != 6)
		exit(1);
	sees(first, 2 * page);
	lseek(fd, 3 * page + 100, SEEK_SET);
	if (write(fd, "write", 5) != 5)
		exit(1);
	sees(last, page);
	struct iovec v[2] = {{"vec", 3}, {"tor", 3}};
	if (pwritev(fd, v, 2, 5) != 6)
		exit(1);
	sees(first, page);
	msync((void *)first, 2 * page, MS_SYNC);
	madvise((void *)first, 2 * page, MADV_DONTNEED);
	sees(first, 2 * page);
	if (ftruncate(fd, page + 10) || ftruncate(fd, 5 * page))
		exit(1);
	sees(first, 2 * page);
	sees(last, page);
	if (pwrite(fd, "grown", 5, 4 * page) != 5)
		exit(1);
	last = mremap((void *)last, page, 2 * page, MREMAP_MAYMOVE);
	sees(last, 2 * page);
	lseek(fd, 8, SEEK_SET);
	if (read(fd, (void *)(first + page), page) != page) // both are mapped
		exit(1);
	sees(first, 2 * page);
	volatile unsigned char *read_only = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 2 * page);
	if (pwrite(fd, "third page", 10, 2 * page) != 10)
		exit(1);
	sees(read_only, page);
	if (mprotect((void *)read_only, page, PROT_READ | PROT_WRITE))
		exit(1);
	read_only[0] = 1;
	sees(read_only, page);
}

int main(int argc, char **argv) {
	const char *what = argv[1];
	path = argv[2];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (argc < 3 || fd < 0 || ftruncate(fd, 4 * page))
		return 1;
	if (!strcmp(what, "inherited"))
		other(stores);
	else
		close(fd);
	if (!strcmp(what, "stores"))
		other(stores);
	else if (!strcmp(what, "races"))
		other(storesSoon);
	else if (!strcmp(what, "closes"))
		other(storesAndCloses);
	else if (!strcmp(what, "writes"))
		other(writes);
	else if (!strcmp(what, "reads"))
		other(reads);
	else if (!strcmp(what, "before")) {
		other(stores);
		signalOther();
	}
	if (strcmp(what, "inherited"))
		fd = open(path, O_RDWR | O_CLOEXEC);
	if (!strcmp(what, "alone")) {
		alone(fd);
		printf("%lu\n", sum);
		return 3;
	}
	volatile unsigned char *p = map(fd, 1, 0);
	p[0] = 1;
	if (!strcmp(what, "twice"))
		map(fd, 1, 0);
	else if (!strcmp(what, "private"))
		mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	else if (!strcmp(what, "unmaps")) {
		char c;
		sees(p, page);
		munmap((void *)p, page);
		close(fd);
		other(stores);
		signalOther();
		printf("%lu\n", sum);
		return pread(open(path, O_RDONLY), &c, 1, 7) == 1 && c == 77 ? 3 : 4;
	} else if (!strcmp(what, "fork")) {
		if (!fork())
			_exit(0);
	} else if (!strcmp(what, "spawn")) {
		if (system("true"))
			return 1;
	} else if (!strcmp(what, "leaks")) {
		fcntl(fd, F_SETFD, 0);
		if (system("true"))
			return 1;
	} else if (!strcmp(what, "passes"))
		pass(fd);
	else if (!strcmp(what, "truncates"))
		what = truncate(path, 2 * page) ? "" : what;
	else if (!strcmp(what, "opens"))
		map(open(path, O_RDWR), 1, 1);
	else if (!strcmp(what, "races")) {
		if (write(tell[1], "", 1) != 1)
			return 1;
		while (p[7] != 77)
			sees(p, 64);
		printf("%d\n", p[7]);
		return 3;
	} else if (tell[1] && strcmp(what, "before"))
		signalOther();
	sees(p, page);
	printf("%lu\n", sum);
	return 3;
}
