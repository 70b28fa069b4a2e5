// Nine prices are written where there is room for eight. What the ninth writes
// over is used much later: docs/time-travel.md goes back from the crash.
#include <stdio.h>
#include <string.h>

static struct {
	long prices[8];
	const char *owner;
} shop = {.owner = "shapes & co"};

static void store(int slot, long price) {
	shop.prices[slot] = price;
}

static void fill(int entries) {
	for (int i = 0; i < entries; i++)
		store(i, 100 + i);
}

static long total(void) {
	long sum = 0;
	for (int i = 0; i < 8; i++)
		sum += shop.prices[i];
	return sum;
}

int main(void) {
	fill(9);
	printf("%ld in all\n", total());
	printf("%zu letters\n", strlen(shop.owner));
	return 0;
}
