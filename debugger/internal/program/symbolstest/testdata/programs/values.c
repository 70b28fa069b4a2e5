// Variables of every sort that C has; the test stops in marker.
#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct point { int x, y; double w; const char *name; };
struct node { struct node *next; int v; };
struct flags { unsigned a : 3; int b : 5; unsigned long c : 40; unsigned char d; };
enum color { RED, GREEN = 5, BLUE };
enum mask { READ = 1, WRITE = 2, EXEC = 4 };
union word { int i; float f; unsigned char b[4]; };
typedef unsigned long count_t;
struct later;

int total = 11;
static const char *greeting = "good day";
__thread int per_thread = 77;
struct point origin = {3, 4, 2.5, "origin"};

__attribute__((noinline)) void marker(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

__attribute__((noinline)) int leaf(int depth, const char *label, struct point *where, struct later *hidden) {
    int count = 42;
    char letter = 'c';
    signed char minus = -3;
    unsigned char bytes[4] = {1, 2, 3, 4};
    short small = -12345;
    unsigned int large = 4000000000u;
    long long huge = -9000000000000000000ll;
    count_t many = 18000000000000000000ul;
    __int128 wide = (__int128)1 << 100;
    _Bool yes = 1;
    float half = 0.5f;
    double pi = 3.141592653589793;
    long double third = 0.375L;
    double complex z = 1.5 + 2.5 * I;
    enum color paint = GREEN;
    enum color odd = 9;
    enum mask rw = READ | WRITE;
    struct point p = {count, -2, 0.25, "leaf"};
    struct node n2 = {0, 2}, n1 = {&n2, 1};
    struct flags f = {5, -7, 1ull << 39, 200};
    union word u = {0x3f800000};
    char text[16] = "hello";
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int (*fn)(const char *) = puts;
    const volatile int *cv = &count;
    int length = depth + 3;
    int vla[length];
    static int calls = 3;
    for (int i = 0; i < length; i++) vla[i] = i * i;
    {
        int inner = 99;
        per_thread += inner;
        marker(&inner); // stop: leaf
    }
    return count + letter + minus + bytes[0] + small + (int)large + (int)huge + (int)many + (int)wide + yes + (int)half + (int)pi
        + (int)third + (int)creal(z) + paint + odd + rw + p.x + n1.v + f.a + u.i + text[0] + grid[1][1] + (fn != 0) + *cv + vla[0]
        + calls + label[0] + where->x + (hidden != 0) + greeting[0] + total;
}

__attribute__((noinline)) int deep(int n, int depth) {
    if (n == 0) return leaf(depth, "label", &origin, 0);
    int r = deep(n - 1, depth + 1);
    return r + n;
}

int main(int argc, char **argv) {
    (void)argv;
    return deep(4, argc) & 1;
}
