// Prints how often it gives up the processor in a thousand system calls, as it does at each stop that a
// tracer makes: before it opens a file below /proc, and after that.
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static long stops(int zero) {
	struct rusage before, after;
	char text[1];
	getrusage(RUSAGE_SELF, &before);
	for (int n = 0; n < 1000; n++)
		if (read(zero, text, 1) != 1) return -1;
	getrusage(RUSAGE_SELF, &after);
	return after.ru_nvcsw - before.ru_nvcsw;
}

int main(void) {
	char text[4096];
	int zero = open("/dev/zero", O_RDONLY);
	long before = stops(zero);
	int proc = open("/proc/self/stat", O_RDONLY);
	if (read(proc, text, sizeof text) <= 0 || close(proc)) return 1;
	printf("%ld %ld", before, stops(zero));
	return 0;
}
