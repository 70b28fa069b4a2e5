// A thread whose signal handler has a stack above that of the thread.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { half = 1 << 17 };

static char stacks[2 * half] __attribute__((aligned(1 << 12)));
static volatile int seen;

static int twice(int n) { return 2 * n; }

static void on_signal(int number) { seen = twice(number / 2); }

static int interrupted(void)
{
	tgkill(getpid(), gettid(), SIGALRM);
	while (!seen) // the signal comes at the latest here
		;
	return twice(4) + seen;
}

static void *run(void *unused)
{
	stack_t above = {.ss_sp = stacks + half, .ss_size = half};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	sigaltstack(&above, 0);
	sigaction(SIGALRM, &action, 0);
	return interrupted() == 22 ? unused : stacks;
}

int main(void)
{
	pthread_t thread;
	pthread_attr_t attributes;
	void *wrong = stacks;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stacks, half);
	pthread_create(&thread, &attributes, run, 0);
	pthread_join(thread, &wrong);
	return wrong != 0;
}
