// A list of customers keeps one that has been freed, and a letter gets its memory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct customer {
    void (*greet)(struct customer *);
    char name[24];
};

static struct customer *newest;

static void hello(struct customer *c) { printf("hello %s\n", c->name); }

static struct customer *enter(const char *name) {
    struct customer *c = malloc(sizeof *c);
    c->greet = hello;
    strcpy(c->name, name);
    newest = c;
    return c;
}

static void leave(struct customer *c) { free(c); }

static char *letter(const char *text) {
    char *copy = malloc(32);
    return strcpy(copy, text);
}

int main(void) {
    enter("Ada");
    leave(enter("Bob"));
    char *text = letter("dear customer, we are closed");
    newest->greet(newest);
    puts(text);
    return 0;
}
