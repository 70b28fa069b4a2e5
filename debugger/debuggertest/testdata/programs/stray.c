// stray has an array and a pointer next to each other. One entry too many is
// written into the array, and much later the pointer is used.
//
// Commands: run (crashes), quit.
#include <stdio.h>
#include <string.h>

struct inventory {
	long prices[8];
	const char *owner;
};

static struct inventory shop = {.owner = "shapes & co"};

__attribute__((noinline)) void store(int slot, long price) {
	shop.prices[slot] = price; //break:store
}

__attribute__((noinline)) void fill(int entries) {
	for (int i = 0; i < entries; i++)
		store(i, 100 + i); //break:call
}

__attribute__((noinline)) long total(void) {
	long sum = 0;
	for (int i = 0; i < 8; i++)
		sum += shop.prices[i];
	return sum;
}

__attribute__((noinline)) size_t label(void) {
	return strlen(shop.owner); //break:label
}

int main(void) {
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin) != NULL) {
		if (strcmp(line, "quit\n") == 0)
			return 0;
		fill(9); //break:fill
		printf("%ld\n", total());
		printf("%zu\n", label());
	}
	return 0;
}
