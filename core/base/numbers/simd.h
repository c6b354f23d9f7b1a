#pragma once

// Compiles a function for AVX-512, AVX2 and the baseline; the version is chosen at load time. With -ffp-contract=off
// all versions give the same bits. Disabled under sanitizers, whose start-up cannot run the choosing function.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PAIRS_SIMD_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PAIRS_SIMD_CLONES
#endif
