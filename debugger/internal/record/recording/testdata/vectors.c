// vectors computes in three threads with AVX-512, AVX2 and FMA, AES and SHA, where the
// processor has them, and x87, while a timer interrupts it.
#include <immintrin.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

enum { rounds = 20000 };

static __thread long local;
static volatile double ticks;

static void tick(int signal) {
	(void)signal;
	ticks = ticks * 1.5 + 1;
}

__attribute__((target("avx512f"))) static long avx512(int n) {
	__m512i a = _mm512_set1_epi64(n), b = _mm512_setr_epi64(1, 2, 3, 4, 5, 6, 7, 8);
	__mmask8 mask = 0x5a;
	for (int k = 0; k < rounds; k++) {
		a = _mm512_mask_add_epi64(a, mask, a, b);
		b = _mm512_rol_epi64(b, 3);
		mask = _mm512_cmpgt_epi64_mask(a, b) ^ k;
	}
	return _mm512_reduce_add_epi64(_mm512_xor_si512(a, b)) ^ mask;
}

__attribute__((target("avx2,fma"))) static double fma4(int n) {
	__m256d a = _mm256_set1_pd(n), b = _mm256_setr_pd(.1, .2, .3, .4);
	for (int k = 0; k < rounds; k++)
		a = _mm256_fmadd_pd(a, b, _mm256_set1_pd(1.0 / (k + 1)));
	double r[4];
	_mm256_storeu_pd(r, a);
	return r[0] + r[1] + r[2] + r[3];
}

__attribute__((target("aes,sha,sse4.1"))) static long ciphers(int n) {
	__m128i a = _mm_set1_epi32(n), key = _mm_set1_epi32(77);
	for (int k = 0; k < rounds; k++) {
		a = _mm_aesenc_si128(a, key);
		key = _mm_sha256rnds2_epu32(key, a, a);
	}
	return _mm_cvtsi128_si64(_mm_xor_si128(a, key));
}

static long double x87(int n) {
	long double sum = 0;
	for (int k = 1; k < rounds / 10; k++)
		sum += sinl(k) * n / k;
	return sum;
}

static void *work(void *argument) {
	int n = (int)(long)argument;
	for (int k = 0; k < 20; k++) {
		local ^= (long)(x87(n) * 1000);
		if (__builtin_cpu_supports("avx512f"))
			local ^= avx512(n + k);
		if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
			local ^= (long)(fma4(n + k) * 1000);
		if (__builtin_cpu_supports("aes") && __builtin_cpu_supports("avx512vl")) // these have SHA, too
			local ^= ciphers(n + k);
	}
	return (void *)local;
}

int main(void) {
	struct itimerval every = {{0, 2000}, {0, 2000}};
	pthread_t threads[3];
	long sum = 0;
	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &every, 0);
	for (long k = 0; k < 3; k++)
		pthread_create(threads + k, 0, work, (void *)(k + 1));
	for (int k = 0; k < 3; k++) {
		void *result;
		pthread_join(threads[k], &result);
		sum = sum * 31 + (long)result;
	}
	printf("%lx\n", sum);
	return 0;
}
