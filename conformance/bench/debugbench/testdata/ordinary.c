/*
 * ordinary does what programs do all day: it formats, copies and compares text,
 * computes with floating-point numbers, counts, asks the time and reads. A round
 * is between round_begins and round_ends.
 */
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

volatile uint64_t total;
volatile double results[16];
static char left[2048], right[2048];
static FILE *null;
static int zero;

__attribute__((noinline)) void round_begins(void) { total++; }
__attribute__((noinline)) void round_ends(void) { total--; }

__attribute__((noinline)) void integers(int round)
{
	volatile uint32_t a[16] = {0};
	for (uint32_t i = 0; i < 300; i++)
		a[i & 15] += i ^ a[(i + 1) & 15] ^ (uint32_t)round;
}

__attribute__((noinline)) void text(int round)
{
	memset(left, 'a' + round % 20, 1000);
	left[1000] = 0;
	memcpy(right, left, 1001);
	total += strlen(right) + (uint64_t)memcmp(left, right, 1000);
	char *copy = strdup(left);
	total += (uint64_t)strcmp(copy, right);
	free(copy);
}

__attribute__((noinline)) void formats(int round)
{
	fprintf(null, "round %d: %.6f %s %p\n", round, results[1], "and so on", (void *)left);
	fflush(null);
}

__attribute__((noinline)) void numbers(int round)
{
	for (int i = 0; i < 8; i++)
		results[i] = sqrt(results[i] + i) * pow(1.01, round % 100) + sin(results[i + 8]) * exp(0.1 * i);
}

__attribute__((noinline)) void atomics(int round)
{
	static uint64_t word;
	__atomic_fetch_add(&word, (uint64_t)round, __ATOMIC_SEQ_CST);
	__atomic_fetch_or(&word, 32, __ATOMIC_SEQ_CST);
	total += __atomic_exchange_n(&word, 7, __ATOMIC_SEQ_CST);
}

__attribute__((noinline)) void calls(int round)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	total += (uint64_t)now.tv_nsec + (uint64_t)read(zero, right, 100) + (uint64_t)round;
}

int main(void)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	null = fopen("/dev/null", "w");
	zero = open("/dev/zero", O_RDONLY);
	for (int i = 0; i < 16; i++)
		results[i] = i * 1.5;
	puts("ready");
	fflush(stdout);
	for (int round = 0;; round++) {
		round_begins();
		integers(round);
		text(round);
		formats(round);
		numbers(round);
		atomics(round);
		calls(round);
		round_ends();
	}
}
