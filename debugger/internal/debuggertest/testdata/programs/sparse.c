/* sparse reserves as much memory as a sanitizer does, uses two pages of it, and counts. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

volatile long rounds;

int main(int count, char **arguments) {
	size_t size = (size_t)atol(arguments[1]) << 30;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return 2;
	memory[4096] = 1;
	memory[size - 4096] = 1;
	long most = atol(arguments[2]); //break:reserved
	for (long i = 0; i < most; i++)
		rounds++;
	memory[4096] = 7;
	printf("%ld\n", rounds); //break:counted
	return 0;
}
