// shapes has variables of many types at a place to stop, loops to step
// through, and a crash when told to.
//
// Commands: run (calls visit three times), crash, quit.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
	int x, y;
};

struct node {
	int value;
	struct point at;
	struct node *next;
};

enum color { RED, GREEN = 5, BLUE };

int total = 7;
unsigned char bytes[4] = {1, 2, 254, 255};
static double ratio = 2.5;
long long watched;
const char *title = "shapes";

__attribute__((noinline)) int add(int a, int b) {
	int sum = a + b; //break:sum
	return sum;      //break:return
}

__attribute__((noinline)) int visit(struct node *n, int count, enum color c) {
	short small = -3;
	unsigned u = 4000000000u;
	float f = 1.5f;
	char letter = 'x';
	int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
	struct node *list = n;
	watched += count; //break:visit
	total = add(total, count); //break:call
	if (list->next && c == GREEN && letter == 'x' && f > 1 && small < 0 && u > 1) //break:after
		total += grid[1][2];
	return total; //break:end
}

__attribute__((noinline)) int deep(int n) {
	if (n == 0)
		return 1; //break:bottom
	return n * deep(n - 1); //break:recurse
}

__attribute__((noinline)) void crash(int *where) {
	*where = 1; //break:crash
}

int main(void) {
	char line[64];
	struct node second = {20, {3, 4}, NULL};
	struct node first = {10, {1, 2}, &second};

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin) != NULL) {
		if (strcmp(line, "quit\n") == 0)
			return 3;
		if (strcmp(line, "crash\n") == 0)
			crash(NULL);
		if (strcmp(line, "deep\n") == 0)
			total = deep(4);
		else
			for (int i = 1; i <= 3; i++)
				visit(&first, i, GREEN); //break:loop
		printf("%d\n", total);
	}
	return 0;
}
