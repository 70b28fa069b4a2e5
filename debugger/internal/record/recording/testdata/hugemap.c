// Uses two pages of a buffer of 8 GiB, and gives it back. Then it does the same with the half of it.
#include <stdio.h>
#include <sys/mman.h>

static int with(char *at, long size) {
	char *buffer = mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	if (buffer == MAP_FAILED) return 1;
	buffer[4096] = 'a', buffer[size - 1] = 'z';
	return munmap(buffer, size);
}

int main(void) {
	char *at = (char *)0x100000000000;
	return with(at, 8L << 30) || with(at, 4L << 30);
}
