// unmapper unmaps what follows the first MiB of read-only shared memory of a memfd, and
// calls a function through a pointer.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { first = 1 << 20 };

static int (*volatile function)(const char *) = puts;

int main(void) {
	unsigned long starts[64], ends[64];
	int n = 0;
	char line[512], mode[8];
	FILE *maps = fopen("/proc/self/maps", "r");
	while (n < 64 && fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx %7s", &starts[n], &ends[n], mode) == 3 && !strcmp(mode, "r--s") && strstr(line, "memfd:"))
			n++;
	while (n-- > 0)
		munmap((void *)(starts[n] + first), ends[n] - starts[n] - first);
	function("reached");
	return 0;
}
