// Waits for a byte that never comes. A handler of SIGALRM ends the wait.
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static void on(int signal) { caught = signal; }

int main(void) {
	int ends[2];
	char b;
	struct sigaction a = {.sa_handler = on};
	if (pipe(ends) || sigaction(SIGALRM, &a, NULL))
		return 1;
	long n = read(ends[0], &b, 1);
	return n == -1 && errno == EINTR && caught == SIGALRM ? 5 : 2;
}
