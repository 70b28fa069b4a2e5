// Maps a file, reads it, and unmaps it before it prints its size.
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct stat st;
	int fd = open(argv[argc - 1], O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0)
		return 1;
	char *p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return 2;
	int n = 0;
	for (int i = 0; i < st.st_size; i++)
		n += p[i] != 0;
	munmap(p, st.st_size);
	printf("%s: %d bytes\n", basename(argv[argc - 1]), n);
	return 0;
}
