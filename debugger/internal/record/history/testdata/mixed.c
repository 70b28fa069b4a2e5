// mixed does what is hard to record, once for each command on its input: the
// command is the name of a part, or all. The parts run between begin_region and
// end_region.
#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

volatile uint64_t total;
volatile double results[32];
volatile int handled;
unsigned char left[4096], right[8192];
static int zero;
static FILE *null;

__attribute__((noinline)) void begin_region(void) { total++; }
__attribute__((noinline)) void end_region(void) { total--; }

static void text(int round) {
	memset(left, 'a' + round % 20, 1500);
	left[1500] = 0;
	memcpy(right, left, 1501);
	right[700] = '#';
	total += strlen((char *)left) + (size_t)(strchr((char *)right, '#') - (char *)right);
	total += (uint64_t)memcmp(left, right, 1500);
	memmove(left + 5, left, 900);
	char *copy = strdup((char *)left);
	total += (uint64_t)strcmp(copy, (char *)right);
	free(copy);
	fprintf(null, "round %d: %.7f %s %p\n", round, results[1], "and so on", (void *)left);
	fflush(null);
}

static void numbers(int round) {
	for (int i = 1; i < 10; i++)
		results[i] = pow(1.01, round + i) + sin(results[i + 9]) * exp(0.1 * i) + sqrt(i);
	long double x = 1.0L;
	for (int i = 0; i < 6; i++)
		x = x * 3.25L + results[i];
	results[20] = (double)x;
}

static void repeats(int round) {
	void *to = right, *from = left;
	size_t n = 200 + round % 3;
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
	to = left, n = 50;
	__asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(0x0123456789abcdefull) : "memory");
	to = right + 500, n = 60;
	__asm__ volatile("std; rep stosw; cld" : "+D"(to), "+c"(n) : "a"(0x77) : "memory");
	n = 0;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(1) : "memory");
}

static void atomics(int round) {
	static uint64_t word;
	static unsigned __int128 wide __attribute__((aligned(16)));
	__sync_fetch_and_add(&word, round);
	__sync_bool_compare_and_swap(&word, word, word + 2);
	__atomic_exchange_n(&word, word ^ 5, __ATOMIC_SEQ_CST);
	uint64_t low = (uint64_t)wide, high = (uint64_t)(wide >> 64);
	__asm__ volatile("lock cmpxchg16b %0" : "+m"(wide), "+a"(low), "+d"(high) : "b"(low + 3), "c"(high + 1) : "memory", "cc");
	__asm__ volatile("lock btcq %1, (%0)" ::"r"(right + 2048), "r"((uint64_t)-1001) : "memory", "cc");
	__asm__ volatile("pushfq; popq %%rax; pushq $7; popfq; enter $64, $2; leave" ::: "rax", "memory", "cc");
	total += word;
}

static void vectors(int round) {
	__asm__ volatile("cvtsi2sd %1, %%xmm3; movsd %%xmm3, (%0); movhps %%xmm3, 16(%0); movntdq %%xmm3, 32(%0)" ::"r"(
	                     (uintptr_t)(right + 63) & ~63ul), "r"(round) : "memory", "xmm3");
	if (__builtin_cpu_supports("avx2"))
		__asm__ volatile("vmovdqu (%0), %%ymm1; vpaddb %%ymm1, %%ymm1, %%ymm2; vmovdqu %%ymm2, 64(%0);"
		                 "vextracti128 $1, %%ymm2, 128(%0); vpmaskmovd %%ymm1, %%ymm2, 200(%0); vzeroupper" ::"r"(left)
		                 : "memory", "xmm1", "xmm2");
	if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512f"))
		__asm__ volatile("vmovdqu64 (%0), %%zmm17; vpaddd %%zmm17, %%zmm17, %%zmm18; vmovdqu64 %%zmm18, 256(%0);"
		                 "vpmovqd %%zmm18, 320(%0); mov $0x3333, %%eax; kmovw %%eax, %%k1;"
		                 "vmovdqu32 %%zmm17, 384(%0)%{%%k1%}; vpcompressd %%zmm17, 512(%0)%{%%k1%}; kmovw %%k1, 448(%0);"
		                 "vpxord %%zmm19, %%zmm19, %%zmm19; kmovw %%eax, %%k2; vpscatterdd %%zmm17, 1024(%0, %%zmm19, 4)%{%%k2%};"
		                 "vzeroupper" ::"r"(left) : "memory", "rax");
	// The addresses of the last x87 instruction and its operand are lost when something else
	// runs in between, since AMD's processors save them only for a pending exception. They
	// are overwritten, so that the region does the same each time.
	__asm__ volatile("fldl (%0); fstpl 8(%0); fldpi; fistpl 16(%0); fnstenv 600(%0); movq $0, 612(%0); movq $0, 620(%0);"
	                 "fxsave64 1024(%0); movq $0, 1032(%0); movq $0, 1040(%0)" ::"r"(right) : "memory");
	__asm__ volatile("xor %%edx, %%edx; mov $7, %%eax; xsave 4096(%0)" ::"r"((uintptr_t)(right + 63) & ~63ul) : "memory", "rax", "rdx");
}

static void calls(int round) {
	struct timespec now, little = {0, 1000};
	clock_gettime(CLOCK_MONOTONIC, &now);
	total += (uint64_t)now.tv_nsec + (uint64_t)read(zero, left + 10, 333);
	struct iovec parts[2] = {{left + 500, 40}, {right + 700, 50}};
	total += (uint64_t)readv(zero, parts, 2);
	struct stat status;
	fstat(zero, &status);
	stat("/", &status);
	struct utsname names;
	uname(&names);
	nanosleep(&little, NULL);
	int ends[2];
	if (pipe(ends) == 0) {
		total += (uint64_t)write(ends[1], "hello", 5) + (uint64_t)read(ends[0], left, sizeof left);
		close(ends[0]);
		close(ends[1]);
	}
}

static void memory(int round) {
	unsigned char *big = malloc(300000);
	memset(big, 1, 9000);
	big = realloc(big, 2000000);
	big[1999999] = 3;
	total += big[4000];
	free(big);
	char *more = sbrk(0);
	if (sbrk(20000) == (void *)more) {
		memset(more, 9, 10000);
		sbrk(-20000);
		sbrk(8192);
		total += (uint64_t)more[5000];
		sbrk(-8192);
	}
	unsigned char *area = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(area, 7, 16384);
	mprotect(area + 4096, 4096, PROT_READ);
	madvise(area + 8192, 4096, MADV_DONTNEED);
	munmap(area + 12288, 4096);
	int self = open("/proc/self/exe", O_RDONLY);
	mmap(area, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, self, 0);
	area[100] = 1;
	munmap(area, 12288);
	area = mmap(area, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, self, 4096);
	total += area[10];
	munmap(area, 4096);
	close(self);
}

static void on_signal(int number) { handled += number; }

static void signals(int round) {
	raise(SIGUSR1);
	raise(SIGUSR2);
	handled++;
}

static void *work(void *argument) {
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		*(volatile long *)argument += i;
		pthread_mutex_unlock(&lock);
	}
	return argument;
}

static void threads(int round) {
	static long counts[2];
	pthread_t other[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&other[i], NULL, work, &counts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(other[i], NULL);
	total += (uint64_t)counts[0];
}

// pass hands bytes on from one pipe to the next, and sleeps now and then.
static void *pass(void *argument) {
	int *ends = argument;
	struct timespec little = {0, 3000000};
	unsigned char byte = 0;
	for (int i = 0; i < 6; i++) {
		read(ends[0], &byte, 1);
		byte++;
		if (i == 3)
			nanosleep(&little, NULL);
		write(ends[1], &byte, 1);
	}
	return argument;
}

// waiting has three threads that wait for each other in reads, and main for all.
static void waiting(int round) {
	int pipes[3][2], ends[3][2];
	pthread_t all[3];
	unsigned char byte = 1;
	for (int i = 0; i < 3; i++)
		pipe(pipes[i]);
	for (int i = 0; i < 3; i++) {
		ends[i][0] = pipes[i][0];
		ends[i][1] = pipes[(i + 1) % 3][1];
		pthread_create(&all[i], NULL, pass, ends[i]);
	}
	write(pipes[0][1], &byte, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(all[i], NULL);
	total += (uint64_t)read(pipes[0][0], left, 1) + left[0];
	for (int i = 0; i < 3; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
}

// shared is a page of which the kernel writes one part, for a thread that waits,
// while another thread writes the rest.
static struct {
	long before;
	char text[64];
	long after, seen;
} __attribute__((aligned(4096))) shared;
static int there[2], back[2];

static void *take(void *argument) {
	for (int i = 0; i < 20; i++) {
		read(there[0], shared.text, sizeof shared.text);
		shared.seen += shared.text[40];
		write(back[1], "", 1);
	}
	return argument;
}

static void sharing(int round) {
	pthread_t other;
	char text[64], byte;
	long want = shared.seen;
	pipe(there);
	pipe(back);
	pthread_create(&other, NULL, take, NULL);
	for (int i = 1; i <= 20; i++) {
		for (int k = 0; k < 50; k++)
			shared.before++, shared.after--;
		memset(text, i, sizeof text);
		write(there[1], text, sizeof text);
		for (int k = 0; k < 50; k++)
			shared.before++, shared.after--;
		read(back[0], &byte, 1);
		want += i;
	}
	pthread_join(other, NULL);
	if (shared.seen != want || shared.before != -shared.after)
		abort();
	for (int i = 0; i < 2; i++) {
		close(there[i]);
		close(back[i]);
	}
}

// wide writes to more pages than an interpreter keeps, and reads them again.
static void wide(int round) {
	const long pages = 20000, size = pages * 4096;
	unsigned char *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long sum = 0;
	for (long i = 0; i < pages; i++)
		area[i * 4096 + i % 4096] = (unsigned char)i;
	for (long i = 0; i < pages; i++)
		sum += area[i * 4096 + i % 4096] ^ (unsigned char)i;
	if (sum != 0)
		abort();
	munmap(area, size);
}

static void children(int round) {
	pid_t child = fork();
	if (child == 0)
		_exit(3);
	int status;
	waitpid(child, &status, 0);
	total += (uint64_t)WEXITSTATUS(status);
	char *command[] = {"true", NULL};
	child = vfork();
	if (child == 0) {
		execv("/bin/true", command);
		_exit(4);
	}
	waitpid(child, &status, 0);
}

// fresh executes code that it writes, twice at one address.
static void fresh(int round) {
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static const unsigned char first[] = {0xc7, 0x07, 1, 0, 0, 0, 0xc3};        // mov dword ptr [rdi], 1; ret
	static const unsigned char second[] = {0x48, 0xc7, 0x47, 8, 2, 0, 0, 0, 0xc3}; // mov qword ptr [rdi+8], 2; ret
	memcpy(code, first, sizeof first);
	((void (*)(void *))code)(left);
	memcpy(code, second, sizeof second);
	((void (*)(void *))code)(left);
	munmap(code, 4096);
}

static void loop(long n) {
	volatile long a[16] = {0};
	for (long i = 0; i < n; i++)
		a[i & 15] += i ^ a[(i + 1) & 15];
}

// spin, short_spin and mix are for measuring.
static void spin(int round) { loop(1L << 40); }
static void short_spin(int round) { loop(3000); }

static void mix(int round) {
	for (;; round++) {
		text(round);
		numbers(round);
		loop(100);
	}
}

static void leave(int round) { _exit(5); }

static void replace(int round) {
	char *command[] = {"sleep", "20", NULL};
	execv("/bin/sleep", command);
}

static void wait_long(int round) { pause(); }

static const struct part {
	const char *name;
	void (*run)(int);
} parts[] = {
	{"text", text}, {"numbers", numbers}, {"repeats", repeats}, {"atomics", atomics},
	{"vectors", vectors}, {"calls", calls}, {"memory", memory}, {"signals", signals},
	{"fresh", fresh}, {"threads", threads}, {"children", children}, {"spin", spin},
	{"short", short_spin}, {"mix", mix}, {"leave", leave}, {"replace", replace},
	{"wait", wait_long},    {"waiting", waiting},
	{"sharing", sharing}, {"wide", wide},
};

int main(void) {
	char line[64];
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
	zero = open("/dev/zero", O_RDONLY);
	null = fopen("/dev/null", "w");
	static char other_stack[65536];
	stack_t other = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
	sigaltstack(&other, NULL);
	struct sigaction on_own = {.sa_handler = on_signal}, on_other = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	sigaction(SIGUSR1, &on_own, NULL);
	sigaction(SIGUSR2, &on_other, NULL);
	for (int i = 0; i < 32; i++)
		results[i] = i * 1.5;
	puts("ready");
	fflush(stdout);
	for (int round = 0; fgets(line, sizeof line, stdin); round++) {
		line[strcspn(line, "\n")] = 0;
		const struct part *part = parts;
		while (strcmp(line, part->name))
			part++;
		begin_region();
		part->run(round);
		end_region();
		puts("done");
		fflush(stdout);
	}
	return 0;
}
