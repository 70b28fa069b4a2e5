/* Makes many system calls in each round, and counts how often its first thread was stopped, or
   waited, meanwhile. With an argument another thread computes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int rounds;
static volatile long stops, computed;

static void *computes(void *p) {
	for (;;)
		computed++;
	return p;
}

int main(int argc, char **argv) {
	pthread_t other;
	struct rusage before, after;
	char b[8];
	int fd = open("/dev/zero", O_RDONLY);
	if (argc > 1)
		pthread_create(&other, 0, computes, argv);
	for (;;) {
		getrusage(RUSAGE_THREAD, &before);
		for (int i = 0; i < 400; i++)
			rounds += (int)(read(fd, b, 8) - syscall(SYS_lseek, -1, i, 0)) - 9;
		getrusage(RUSAGE_THREAD, &after);
		stops = after.ru_nvcsw - before.ru_nvcsw;
		rounds++; //break:here
	}
}
