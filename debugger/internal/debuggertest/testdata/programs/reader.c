/* reader.c reads so many pieces of 64 KiB that no one can foresee, and writes their sum. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned char piece[1 << 16];
static volatile unsigned long taken, sum;

__attribute__((noinline)) void take(int from) {
	if (read(from, piece, sizeof piece) != (long)sizeof piece)
		exit(1);
	for (unsigned i = 0; i < sizeof piece; i += 64)
		sum += piece[i];
	taken++; //break:taken
}

__attribute__((noinline)) void done(void) {
	__asm__ volatile("");
} //break:done

int main(int argc, char **argv) {
	unsigned long pieces = argc > 1 ? strtoul(argv[1], NULL, 10) : 16;
	int from = open("/dev/urandom", O_RDONLY);
	while (taken < pieces)
		take(from);
	done();
	printf("%lu\n", sum);
	return 0;
}
