/*
 * called calls work for ever, which takes about 100,000 instructions and calls
 * hot 5,000 times; begins and ends are called around it.
 */
#include <stdio.h>
#include <sys/prctl.h>

volatile long total;

__attribute__((noinline)) void hot(long n) { total += n; }

__attribute__((noinline)) void begins(void) { total = 0; }

__attribute__((noinline)) void ends(void) { total++; }

__attribute__((noinline)) long work(long n)
{
	for (long i = 0; i < n; i++)
		hot(i);
	return total;
}

int main(void)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	puts("ready");
	fflush(stdout);
	for (;;) {
		begins();
		work(5000);
		ends();
	}
}
