// restarted makes a system call that does not exist, and one that a signal from outside interrupts
// and that begins again.
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

static int ends[2];

static void on_alarm(int sig) {
	(void)sig;
	if (write(ends[1], "x", 1) != 1)
		_exit(2);
}

int main(void) {
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	char c;
	if (pipe(ends) || sigaction(SIGALRM, &action, 0) || syscall(100000) != -1)
		return 1;
	return read(ends[0], &c, 1) != 1 || syscall(100000) != -1;
}
