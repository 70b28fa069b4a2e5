// Calls that end by longjmp, callbacks from the library, and a signal handler.
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static jmp_buf back;
static volatile sig_atomic_t seen;

static void on_signal(int sig) { seen += sig; }

static void deep(int n)
{
	if (n == 0)
		longjmp(back, 7);
	deep(n - 1);
}

static int guarded(int n)
{
	volatile int got = 1;
	int code = setjmp(back);
	if (code == 0)
		deep(n);
	got += code;
	return got;
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int sorted(void)
{
	int v[4] = {3, 1, 4, 2};
	qsort(v, 4, sizeof v[0], ascending);
	return v[0] * 10 + v[3];
}

static int raised(void)
{
	signal(SIGALRM, on_signal);
	raise(SIGALRM);
	return seen;
}

int main(void) { return guarded(3) + sorted() + raised() == 0; }
