// A program and, with LIBRARY, a library that it loads: both have thread-local
// variables.
#ifdef LIBRARY
__thread long library_wide = 40;
static __thread int own = 4;
int library_work(void) { own++; return (int)(library_wide += own); }
#else
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

__thread char spaced[100] = "first";
__thread int program_wide = 7;

__attribute__((noinline)) void marker(int v) { __asm__ volatile("" : : "r"(v) : "memory"); }

int main(void) {
    void *handle = dlopen(getenv("LIBRARY"), RTLD_NOW);
    int (*work)(void) = handle ? (int (*)(void))dlsym(handle, "library_work") : 0;
    if (work) program_wide += work();
    marker(spaced[0]);
    return 0;
}
#endif
