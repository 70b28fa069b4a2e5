/* around has a function that jumps to its own first instruction, and is called by threads. */
#include <pthread.h>
#include <stdlib.h>

long around(long n);
__asm__(".text\n.type around, @function\naround:\n"
        "\tdec %rdi\n\tjg around\n\tmov %rdi, %rax\n\tret\n.size around, .-around\n");

static volatile long total;

__attribute__((noinline)) static void once(long n) { total += around(n); }

static void *worker(void *n) {
	for (int i = 0; i < 20; i++)
		once((long)n);
	return NULL;
}

int main(int count, char **arguments) {
	pthread_t threads[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, worker, (void *)(i + 3));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	once(1000);
	return (int)total;
}
