// Sizes as the compiler counts them. Each line of the output is an expression and
// its value; the variables are in sight from where marker is called.
#include <stddef.h>
#include <stdio.h>

struct point { int x, y; char tag; };
struct none {};
struct later;
typedef struct point spot;
union word { long l; char bytes[12]; };
enum color { RED, GREEN };
typedef unsigned long count_t;

int known[3];

__attribute__((noinline)) void marker(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

#define SIZE(e) printf("%s\t%zu\n", #e, (size_t)(e))

__attribute__((noinline)) int look(int n, struct later *hidden, int argument[7]) {
    struct point p = {1, 2, 3}, *where = &p, *nowhere = NULL, rows[4] = {{0}};
    spot s = p;
    struct none empty;
    union word w = {5};
    enum color c = GREEN;
    char text[16] = "hello";
    int grid[2][3] = {{1}};
    int vla[n + 2];
    long double wide = 1;
    __int128 huge = 1;
    count_t many = 3;
    int point = 8; // hides nothing: struct point has its tag
    vla[0] = 1;
    SIZE(sizeof(p));
    SIZE(sizeof p);
    SIZE(sizeof(struct point));
    SIZE(sizeof(point));
    SIZE(sizeof(spot));
    SIZE(sizeof(struct none));
    SIZE(sizeof(union word));
    SIZE(sizeof(enum color));
    SIZE(sizeof(c));
    SIZE(sizeof(where));
    SIZE(sizeof(*where));
    SIZE(sizeof *where);
    SIZE(sizeof(where->tag));
    SIZE(sizeof(*nowhere));
    SIZE(sizeof(nowhere->y));
    SIZE(sizeof(hidden));
    SIZE(sizeof(rows));
    SIZE(sizeof(rows) / sizeof(rows[0]));
    SIZE(sizeof(s));
    SIZE(sizeof(empty));
    SIZE(sizeof(w));
    SIZE(sizeof(w.bytes));
    SIZE(sizeof(text));
    SIZE(sizeof(text) - 1);
    SIZE(sizeof text[0] + 1);
    SIZE(sizeof(grid));
    SIZE(sizeof(grid[1]));
    SIZE(sizeof(grid[1][2]));
    SIZE(sizeof(vla));
    SIZE(sizeof(vla[0]));
    SIZE(sizeof(argument));
    SIZE(sizeof(wide));
    SIZE(sizeof(huge));
    SIZE(sizeof(many));
    SIZE(sizeof(count_t));
    SIZE(sizeof(known));
    SIZE(sizeof(int));
    SIZE(sizeof(unsigned long long));
    SIZE(sizeof(char *));
    SIZE(sizeof(struct later *));
    SIZE(sizeof(void));
    SIZE(sizeof(void *));
    SIZE(sizeof(double));
    SIZE(sizeof(1));
    SIZE(sizeof(1 + 1L));
    SIZE(sizeof(n * 2));
    SIZE(sizeof(n + many));
    SIZE(sizeof(p.x) * 3);
    SIZE(sizeof(struct point) == 12);
    SIZE(sizeof(&p));
    SIZE(sizeof(&vla[1]));
    SIZE(sizeof("four"));
    SIZE(-sizeof(int) > 0);
    fflush(stdout);
    marker(&p);
    return p.x + s.x + (int)w.l + c + text[0] + grid[0][0] + vla[0] + (int)wide + (int)huge + (int)many + point + (hidden != 0)
        + argument[0] + rows[0].x + (int)sizeof(empty) + (where != nowhere) + known[0];
}

int main(void) {
    int argument[7] = {0};
    return look(5, NULL, argument) & 1;
}
