// A program with three threads, one of which reads memory that is not there.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct node {
	int value;
	double weight;
	struct node *next;
};

static int counter = 17;
static int zeroes[3000];
static char name[] = "somebody";
static volatile int ready;

static void *wait_forever(void *arg)
{
	long which = (long)arg;
	__sync_fetch_and_add(&ready, 1);
	for (;;)
		pause();
	return (void *)which;
}

static int sum(struct node *list, double scale)
{
	int total = counter;
	double half = scale / 2;
	total += list->value * (int)half;
	total += list->next->value;
	return total + zeroes[2999];
}

static int outer(int depth, struct node *list)
{
	int here = depth * 3;
	if (depth == 0)
		return sum(list, 8.5);
	return outer(depth - 1, list) + here;
}

int main(void)
{
	pthread_t a, b;
	struct node *n = malloc(sizeof *n);
	unsigned char letters[4] = {'a', 'b', 'c', 0};
	n->value = 42;
	n->weight = 1.5;
	n->next = (struct node *)0x1238;
	pthread_create(&a, NULL, wait_forever, (void *)1L);
	pthread_create(&b, NULL, wait_forever, (void *)2L);
	while (ready < 2)
		usleep(1000);
	usleep(20000);
	return outer(3, n) + letters[0] + name[0];
}
