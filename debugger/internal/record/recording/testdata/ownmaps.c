// Lists its mappings that are of no file of the file system, as sanitizers and garbage collectors
// read them: in small pieces, twice, and whether an exec would close the list.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int strange(const char *path, int flags) {
	static char text[1 << 20];
	int fd = open(path, O_RDONLY | flags), count = 0;
	for (int round = 0; round < 2; round++) {
		size_t size = 0;
		ssize_t n;
		while ((n = read(fd, text + size, 100)) > 0) size += n;
		text[size] = 0;
		for (char *at = text; (at = strstr(at, "memfd")); at++) count++;
		if (!strstr(text, "[stack]")) return -1;
		lseek(fd, 0, SEEK_SET);
	}
	count += 100 * ((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
	close(fd);
	return count;
}

int main(void) {
	char own[64];
	int first = dup(0);
	close(first);
	snprintf(own, sizeof own, "/proc/%d/task/%d/maps", getpid(), getpid());
	printf("%d %d %d\n", strange("/proc/self/maps", O_CLOEXEC), strange("/proc/self/smaps", 0), strange(own, 0));
	return 3 + dup(0) - first; // no other descriptor is left
}
