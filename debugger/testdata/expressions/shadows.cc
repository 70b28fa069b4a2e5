// Variables that others of the same name hide: arguments, globals, and members of an
// object whose method runs.
#include <cstdio>

static int n = 1, width = 2, alone = 3;

static void marker() { std::puts("here"); }

struct box {
	int width = 20;
	int area(int n)
	{
		if (n > 0) {
			int n = 300;
			for (int n = 4000; n < 4001; n++)
				marker();
			return n * width;
		}
		return 0;
	}
};

int main() { return box().area(100) + n + width + alone == 6006; }
