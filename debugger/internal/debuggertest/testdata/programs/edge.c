// edge writes memory that is mapped only for a while, or only in part, and
// prints what it computed. Its argument is the name of a part.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { page = 4096 };

static int total;

static unsigned char *map(size_t n) {
	unsigned char *p = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		exit(1);
	return p;
}

// stack uses more of its stack than the kernel has mapped.
static __attribute__((noinline)) int deep(int n) {
	volatile char b[300 * 1024];
	for (int i = sizeof b - 512; i >= 0; i -= 512)
		b[i] = n;
	return b[512] + b[1024];
}

static void stack(void) {
	for (int i = 0; i < 4; i++)
		total += deep(i);
}

// state stores the least of the extended state at the very end of a mapping.
static unsigned char *last;

static void state(void) {
	__asm__ volatile("xsave64 %0" : "=m"(*(unsigned char(*)[576])(last + page - 576)) : "a"(1), "d"(0));
	total += last[page - 576] | last[page - 575] << 8; // the control word of the x87 unit
}

// temporary maps memory for its own use.
static void temporary(void) {
	for (int i = 0; i < 3; i++) {
		unsigned char *p = map(2 * page);
		for (int k = 0; k < 2 * page; k += 512)
			p[k] = i + 1;
		total += p[page] + p[0];
		munmap(p, 2 * page);
	}
}

// truncated takes the file away under a private mapping of it.
static unsigned char *of_file;
static int file;

static void truncated(void) {
	total += of_file[page + 5]++;
	if (ftruncate(file, page))
		exit(1);
}

__attribute__((noinline)) void begin(void) { total++; }
__attribute__((noinline)) void end(void) { total--; }

int main(int argc, char **argv) {
	const char *part = argc > 1 ? argv[1] : "";
	last = map(3 * page);
	file = memfd_create("file", 0);
	if (file < 0 || ftruncate(file, 2 * page))
		return 1;
	of_file = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	if (of_file == MAP_FAILED)
		return 1;
	of_file[page + 5] = 3;
	munmap(last + page, 2 * page);
	begin();
	if (!strcmp(part, "stack"))
		stack();
	else if (!strcmp(part, "state"))
		state();
	else if (!strcmp(part, "temporary"))
		temporary();
	else if (!strcmp(part, "truncated"))
		truncated();
	end();
	printf("%d\n", total);
	return 0;
}
