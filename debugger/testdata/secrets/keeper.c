/* Has each line of the file that SECRETS names in several places, and stops there:
   in the heap, in arrays, in the middle of what a pointer shows, in its output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct account {
	int number;
	const char *key;
	char copy[2048];
};

static struct account account;
static unsigned char bytes[2048];
static wchar_t letters[256];

__attribute__((noinline)) void stop(const char *text, const char *middle) {
	__asm__ volatile("" : : "r"(text), "r"(middle) : "memory");
}

__attribute__((noinline)) const char *second_half(const char *text, size_t n) { return text + n / 2; }

int main(void) {
	FILE *file = fopen(getenv("SECRETS"), "r");
	char *text = NULL;
	size_t room = 0;
	ssize_t n;
	if (file == NULL)
		return 1;
	while ((n = getdelim(&text, &room, 1, file)) > 1) {
		text[--n] = 0;
		account.number++;
		account.key = text;
		memset(account.copy, 0, sizeof account.copy);
		memset(bytes, 0, sizeof bytes);
		memset(letters, 0, sizeof letters);
		strncpy(account.copy, text, sizeof account.copy - 1);
		memcpy(bytes, text, n < 2048 ? n : 2048);
		for (int i = 0; i < n && i < 255; i++)
			letters[i] = (unsigned char)text[i];
		const char *middle = second_half(text, n);
		if (write(1, text, middle - text) < 0)
			return 1;
		stop(text, middle); /* between the halves of its output */
		if (write(1, middle, strlen(middle)) < 0 || write(1, "\n", 1) < 0)
			return 1;
	}
	stop("end", "end");
	return 0;
}
