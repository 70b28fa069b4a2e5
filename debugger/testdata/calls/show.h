// SHOW prints the value of an expression as debuggers do, on a line: numbers, characters
// and strings, and of other types a question mark.
#include <stdio.h>

static inline void show_char(char v) { printf("%d '%c'\n", v, v); }
static inline void show_byte(unsigned char v) { printf("%d '%c'\n", v, v); }
static inline void show_int(long v) { printf("%ld\n", v); }
static inline void show_size(unsigned long v) { printf("%lu\n", v); }
static inline void show_double(double v) { printf("%.15g\n", v); }
static inline void show_string(const char *v) { printf("\"%s\"\n", v); }
static inline void show_other(void) { puts("?"); }

#ifdef __cplusplus
static inline void show(int v) { show_int(v); }
static inline void show(long v) { show_int(v); }
static inline void show(double v) { show_double(v); }
template <class T> void show(const T &) { show_other(); }
#define SHOW(e) show(e)
#else
// A value of another type is not passed on.
#define SHOW(e)                                                                              \
	do {                                                                                     \
		__auto_type v = (e);                                                                 \
		_Generic(v, char: show_char(PICK(v, char)), unsigned char: show_byte(PICK(v, unsigned char)), \
			int: show_int(PICK(v, int)), long: show_int(PICK(v, long)),                      \
			unsigned long: show_size(PICK(v, unsigned long)), float: show_double(PICK(v, float)), \
			double: show_double(PICK(v, double)), char *: show_string(PICK(v, char *)),      \
			const char *: show_string(PICK(v, const char *)), default: show_other());        \
	} while (0)
#define PICK(v, type) (*(type *)(void *)&(v))
#endif
