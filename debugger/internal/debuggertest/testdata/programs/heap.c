// heap does what changes memory in ways of its own, between begin_region and
// end_region, and answers done.
//
// Arguments: how many MiB it has, 1 if there are none, and how many pages rounds
// writes. Commands: the names of the parts, and rounds, which calls
// begin_region and writes pages here and there, for ever. seal has the kernel
// filter its system calls, and lets them all pass.
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define HUGE_PAGE (512 * PAGE)

static volatile uint64_t regions;
static unsigned char *heap, *large, *shared, *private, *moving;
static size_t size, pages;
static uint64_t seed = 1;

__attribute__((noinline)) void begin_region(void) { regions++; }
__attribute__((noinline)) void end_region(void) { regions++; }

static uint64_t next(void) {
	return (seed = seed * 6364136223846793005ull + 1442695040888963407ull) >> 20;
}

static void touch(void) {
	for (size_t i = 0; i < pages; i++)
		heap[next() % size] ^= next() | 1;
}

static unsigned char *map(size_t n, int flags, int file) {
	unsigned char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, flags, file, 0);
	return p == MAP_FAILED ? NULL : p;
}

// discard gives memory back, small pages and large ones, and uses some again.
static void discard(void) {
	memset(heap + 64 * PAGE, 7, 20 * PAGE);
	madvise(heap, 16 * PAGE, MADV_DONTNEED);
	madvise(heap + 64 * PAGE, 8 * PAGE, MADV_DONTNEED);
	heap[3 * PAGE] = 9;
	madvise(large, HUGE_PAGE, MADV_DONTNEED);
	large[5] = next();
	memset(large + HUGE_PAGE, next(), HUGE_PAGE);
}

// move lets a mapping grow, which takes it elsewhere, and shrink again.
static void move(void) {
	static size_t n = 8 * PAGE;
	unsigned char *other = map(4 * n, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	memset(other, 1, 4 * n);
	moving = mremap(moving, n, 4 * n, MREMAP_MAYMOVE | MREMAP_FIXED, other);
	moving[2 * n] = next();
	moving = mremap(moving, 4 * n, n, 0);
	moving[1] = next();
}

// replace has something else at the same address.
static void replace(void) {
	munmap(private, 4 * PAGE);
	mmap(private, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	private[2 * PAGE] = next();
	mprotect(private + PAGE, PAGE, PROT_READ);
	mprotect(private + PAGE, PAGE, PROT_READ | PROT_WRITE);
	private[PAGE + 7] = next();
}

// others has another process write to shared memory, and to its own copies.
static void others(void) {
	pid_t child = fork();
	if (child == 0) {
		shared[3 * PAGE] = next();
		heap[5] = next();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	heap[6] ^= 1;
}

static void grow(void) {
	unsigned char *p = sbrk(40 * PAGE);
	memset(p, next(), 40 * PAGE);
	sbrk(-20 * PAGE);
	p = malloc(3 << 20);
	memset(p, next(), 3 << 20);
	free(p);
}

static void *work(void *arg) {
	heap[(size_t)arg * PAGE * 3 % size] = next();
	return NULL;
}

static void threads(void) {
	pthread_t all[4];
	for (size_t i = 0; i < 4; i++)
		pthread_create(&all[i], NULL, work, (void *)i);
	for (size_t i = 0; i < 4; i++)
		pthread_join(all[i], NULL);
}

static void deep(void) {
	volatile unsigned char frame[60 * PAGE];
	for (size_t i = 0; i < sizeof frame; i += PAGE)
		frame[i] = next();
}

static void seal(void) {
	struct sock_filter pass = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {1, &pass};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{"touch\n", touch}, {"discard\n", discard}, {"move\n", move}, {"replace\n", replace},
	{"others\n", others}, {"grow\n", grow}, {"threads\n", threads}, {"deep\n", deep}, {"seal\n", seal},
};

static void prepare(void) {
	FILE *file = tmpfile();
	heap = map(size, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	madvise(heap, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += 64)
		heap[i] = i * 7 >> 5;
	large = map(3 * HUGE_PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	large = (unsigned char *)(((uintptr_t)large + HUGE_PAGE - 1) & -(uintptr_t)HUGE_PAGE);
	madvise(large, 2 * HUGE_PAGE, MADV_HUGEPAGE);
	memset(large, 3, HUGE_PAGE);
	shared = map(4 * PAGE, MAP_SHARED | MAP_ANONYMOUS, -1);
	moving = map(8 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	memset(moving, 4, 8 * PAGE);
	for (int i = 0; i < 4 * PAGE; i++)
		putc(i, file);
	fflush(file);
	private = map(4 * PAGE, MAP_PRIVATE, fileno(file));
	private[1] = 5;
}

int main(int argc, char **argv) {
	char line[64];

	size = (size_t)(argc > 1 ? atol(argv[1]) : 1) << 20;
	pages = argc > 2 ? atol(argv[2]) : 20;
	prepare();
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin) != NULL) {
		for (; strcmp(line, "rounds\n") == 0; touch())
			begin_region();
		for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
			if (strcmp(line, parts[i].name) == 0) {
				begin_region();
				parts[i].run();
				end_region();
			}
		puts("done");
	}
	return 0;
}
