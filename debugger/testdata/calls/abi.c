// Functions that a debugger must call otherwise than others, or not at all.
#include <stdio.h>

typedef float floats __attribute__((vector_size(16)));
typedef float pair __attribute__((vector_size(8)));
struct wrapped { floats v; };
union single { pair v; double d; };

floats four(float a) { return (floats){a, a, a, a}; }
pair two(float a) { return (pair){a, a}; }
struct wrapped boxed(float a) { return (struct wrapped){{a, a, a, a}}; }
union single narrow(float a) { return (union single){{a, a}}; }
int half(_Float16 a) { return a * 2; }
int wide(long double a) { return a * 2; }
int old(a, b, c) float a; double b; char c; { return a * 100 + b * 10 + c; }

int main(void) {
	_Float16 h = 1.5;
	long double l = 2.5;
	puts("here"); //break:here
	return four(1)[0] + two(1)[0] + boxed(1).v[0] + narrow(1).v[0] + half(h) + wide(l) + old(1.0, 2.0, 3);
}
