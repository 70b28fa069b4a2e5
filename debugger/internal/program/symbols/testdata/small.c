// The source of small.elf, which is kept so that its damaged forms stay the same:
// gcc -O1 -g -nostdlib -static -no-pie -fno-stack-protector -Wl,-z,noseparate-code \
// -fdebug-prefix-map=$PWD=/src -o small.elf small.c
struct s { int a : 3; struct s *next; char t[8]; union { float f; long l; } u; };
enum e { A, B = 4 };
static enum e kind = B;
struct s global = {1, 0, "x", {0}};
static inline int twice(int v) { struct s l = {v, &global, "y", {1}}; return l.a + v; }
int f(int n, struct s *p) { int a[n + 1]; a[0] = twice(n); return n ? f(n - 1, p) + a[0] : (int)kind; }
void _start(void) { f(3, &global); for (;;) ; }
