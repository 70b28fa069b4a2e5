// A function whose seldom run part is in another section, before it.
#include <stdlib.h>

__attribute__((noinline)) long checked(long v) {
    if (__builtin_expect(v < 0, 0))
        abort();
    return v * 3;
}

int main(int argc, char **argv) {
    (void)argv;
    return (int)checked(argc - 1);
}
