// Functions for debuggers to call.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct point { int x, y; };
struct mixed { double d; long n; };
struct floats { float a, b, c; };
struct large { long n[5]; char name[8]; };
enum color { RED, GREEN = 5, BLUE };
typedef int (*binary)(int, int);
struct ops { binary add; int bias; };

int calls;
char secret_token[64];

int add(int a, int b) { calls++; return a + b; }
long nine(long a, int b, short c, char d, unsigned char e, long f, long g, int h, long i) {
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}
double mix(int a, double b, float c, char d, double e) { return a + 2 * b + 3 * c + 4 * d + 5 * e; }
double ten(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j) {
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}
float halved(float x) { return x / 2; }
long double third(int x) { return (long double)x / 3; }
char next(char c) { return c + 1; }
unsigned char wrapped(int n) { return n; }
_Bool odd(int n) { return n % 2; }
enum color paint(int n) { return n ? BLUE : RED; }
size_t length(const char *s) { return strlen(s); }
const char *behind(const char *s, char c) { return strchr(s, c); }
char *joined(const char *a, const char *b) {
	char *s = malloc(strlen(a) + strlen(b) + 1);
	strcpy(s, a);
	return strcat(s, b);
}
struct point at(int x, int y) { return (struct point){x, y}; }
struct mixed both(double d, long n) { return (struct mixed){d, n}; }
struct floats three(float a) { return (struct floats){a, a + 1, a + 2}; }
struct large filled(long n, const char *name) {
	struct large l = {{n, n + 1, n + 2, n + 3, n + 4}, ""};
	strncpy(l.name, name, sizeof l.name - 1);
	return l;
}
int norm(struct point *p) { return p->x * p->x + p->y * p->y; }
int sum(int n, ...) {
	va_list list;
	int total = 0;
	va_start(list, n);
	for (int i = 0; i < n; i++)
		total += va_arg(list, int);
	va_end(list);
	return total;
}
double mean(int n, ...) {
	va_list list;
	double total = 0;
	va_start(list, n);
	for (int i = 0; i < n; i++)
		total += va_arg(list, double);
	va_end(list);
	return total / n;
}
void reset(void) { calls = 0; }
int crash(int *p) { return *p; }
int forever(void) { for (;;) { calls++; usleep(1000); } }
int by_value(struct point p) { return p.x; }
const char *token(void) { return secret_token; }

int main(void) {
	struct ops ops = {add, 3};
	struct point p = {3, 4};
	binary fp = add;
	char text[8] = "local";
	double d = sqrt(2.0);
	strcpy(secret_token, "ghp_");
	strcat(secret_token, "0123456789abcdefghijABCDEFGHIJ012345");
	printf("%d %d %s %g\n", fp(1, 2) + ops.bias, norm(&p), text, d); //break:here
	return calls;
}
