// Many calls of small functions.
#include <stdlib.h>
#define SEPARATE __attribute__((noipa))
SEPARATE static long leaf(long n) { return n * 3 + 1; }
SEPARATE static long node(long n)
{
	long sum = 0;
	for (long i = 0; i < 10; i++)
		sum += leaf(n + i);
	return sum;
}
SEPARATE static long work(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum += node(i);
	return sum;
}
int main(int argc, char **argv) { return work(argc > 1 ? atol(argv[1]) : 100) == 0; }
