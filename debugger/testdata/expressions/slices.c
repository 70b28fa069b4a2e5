/* Arrays, pointers and bit-fields to look at in slices and formats. */
#include <stddef.h>
#include <string.h>

enum color { RED, GREEN = 5, BLUE };

struct point { int x, y; };

struct mixed {
	char tag;
	double weight;
	unsigned low : 3, high : 7;
	struct point at[2];
	const char *name;
	enum color color;
	union { int whole; unsigned char bytes[4]; };
};

static int numbers[300];
static struct point points[4] = {{1, 2}, {3, 4}, {5, 6}, {-7, 8}};
static struct mixed mixed = {'m', 1.5, 5, 100, {{1, -1}, {2, -2}}, "mixed", BLUE, {0x01020304}};
static char text[400];

__attribute__((noinline)) void marker(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

__attribute__((noinline)) int look(int *from, struct point *where) {
	unsigned char bytes[6] = {0, 7, 'h', 'i', 200, 255};
	short small = -2;
	unsigned long large = 0xfedcba9876543210;
	float ratio = 1.5f;
	double weight = -0.25;
	marker(bytes);
	return bytes[1] + small + (int)large + (int)ratio + (int)weight + from[0] + where->x;
}

int main(void) {
	for (int i = 0; i < 300; i++)
		numbers[i] = i * i;
	memset(text, 'a', sizeof text - 1);
	memcpy(text + 200, "needle", 6);
	return look(numbers, points) + mixed.tag;
}
