/*
 * heap writes to random pages of its memory, round after round, and counts the
 * nanoseconds that it spends with that. Arguments: MiB, pages each round, and how
 * many rounds to make before it prints the nanoseconds of one; 0 is for ever.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

volatile uint64_t rounds, spent;

__attribute__((noinline)) void round_begins(void) { rounds++; }

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	size_t size = (size_t)atol(argv[1]) << 20;
	long pages = atol(argv[2]), last = atol(argv[3]);
	char *heap = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (heap == MAP_FAILED)
		return 1;
	madvise(heap, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += 64)
		heap[i] = (char)(i * 7 >> 5);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	puts("ready");
	fflush(stdout);
	uint64_t x = 1;
	while (last == 0 || (long)rounds < last) {
		round_begins();
		uint64_t began = now();
		for (long i = 0; i < pages; i++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			heap[(x >> 20) % size] ^= (char)(x >> 56) | 1;
		}
		spent += now() - began;
	}
	printf("%lu\n", (unsigned long)(spent / rounds));
	return 0;
}
