// Adds numbers, for tests that go back and forth: five calls of add, in a
// program without threads or input.
#include <stdio.h>

long total, calls;

long add(long n) {
	calls++;
	total += n; //break:add
	return total;
}

double half(double x) { return x / 2; }

int main(void) {
	for (long i = 1; i <= 5; i++)
		add(i * 10);
	printf("total %ld, half %g\n", total, half(total)); //break:print
	fflush(stdout);
	return 3; //break:end
}
