// Blocks allocates and frees by each function that C has for it, and keeps the addresses.
//
// It stops itself at the end, so that all its history is recorded.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char *in_use, *dropped, *zeroed, *grown, *before_grown, *aligned, *aligned_11, *old_aligned, *in_thread, *large, *copied, *again;

static __attribute__((noinline)) char *make(size_t n) { return malloc(n); }
static __attribute__((noinline)) void drop(void *p) { free(p); }

static void *allocate(void *x) {
	in_thread = malloc(200);
	return x;
}

int main(void) {
	pthread_t thread;
	in_use = make(100);
	dropped = make(3000);
	make(64); // so that what is freed is not merged
	drop(dropped);
	zeroed = calloc(7, 30);
	before_grown = malloc(40);
	make(64);
	grown = realloc(before_grown, 5000);
	if (posix_memalign((void **)&aligned, 256, 500)) return 1;
	aligned_11 = aligned_alloc(64, 640);
	old_aligned = memalign(128, 300);
	large = make(1 << 20);
	copied = strdup("copied");
	for (int i = 0; i < 1000; i++) drop(make(24)); // the same block again and again
	again = make(24);
	pthread_create(&thread, 0, allocate, 0);
	pthread_join(thread, 0);
	raise(SIGKILL);
}
