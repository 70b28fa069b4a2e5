// Maps its own file to be read, as programs do that show their own stacks: the whole
// file, and a piece of it, below and above the program.
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((noinline)) int work(int n)
{
	return n * 2;
}

int main(int argc, char **argv)
{
	struct stat s;
	int fd = open(argv[0], O_RDONLY);
	if (fd < 0 || fstat(fd, &s) != 0)
		return 1;
	char *end = (char *)sbrk(0);
	void *places[] = {0, (void *)0x10000000, (void *)(((unsigned long)end + (64 << 20)) & ~4095ul)};
	for (int i = 0; i < 3; i++) {
		if (mmap(places[i], s.st_size, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			return 2;
		if (mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 4096) == MAP_FAILED)
			return 3;
	}
	close(fd);
	int sum = 0;
	for (int i = 1; i <= 3; i++)
		sum += work(i);
	printf("%d\n", sum);
	return 0;
}
