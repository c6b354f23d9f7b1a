#pragma once

#include <cmath>
#include <cstdint>

#if defined(__CUDACC__)
#define PAIRS_HOST_DEVICE __host__ __device__
#else
#define PAIRS_HOST_DEVICE
#endif

namespace pairs {

// What random numbers are for: streams of different purposes never overlap. Values are part of the file format; only
// append.
enum class Purpose : std::uint32_t {
  init = 1,      // initial weights
  pretrain = 2,  // sets of stage 1
  finetune = 3,  // sets of stage 2
  test = 4,      // sets of evaluations
  order = 5,     // shuffles and visits of sets
  sizes = 6,     // set sizes in a batch
  dropout = 7,
  posterior = 8,             // posterior samples
  explore = 9,               // sets shown to people: window, infer demonstrations
  blocks = 10,               // which cached blocks a finetuning step draws
  glyph = 11,                // generated digits
  check = 12,                // self-tests and benchmarks
  pretrain_validation = 13,  // held-out sets of stage 1
  finetune_validation = 14,  // held-out sets of stages 2 and 3
  conformers = 15,           // conformers of a molecule
  likelihood = 16,           // sets that a likelihood is learned from
};

// Seed of the sets and the samples shown in figures.
inline constexpr std::uint64_t kFigureSeed = 1;

// Mixes seed and purpose into the 64-bit key of a Philox stream (splitmix64 finalizer).
PAIRS_HOST_DEVICE inline std::uint64_t stream_key(std::uint64_t seed, Purpose purpose) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15ull * (static_cast<std::uint64_t>(purpose) + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

struct PhiloxBlock {
  std::uint32_t v[4];
};

// Philox 4x32-10 (Salmon et al. 2011): four words as a pure function of (key, counter).
PAIRS_HOST_DEVICE inline PhiloxBlock philox(std::uint64_t key, std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                                            std::uint32_t c3) {
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = 0xD2511F53ull * c0, p1 = 0xCD9E8D57ull * c2;
    const std::uint32_t n0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    const std::uint32_t n2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(p1);
    c3 = static_cast<std::uint32_t>(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

// A random word as a float in [0, 1), the same bits on every device.
PAIRS_HOST_DEVICE inline float unit_float(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24f;
}
// A random word as a float in (0, 1], which is safe under a logarithm.
PAIRS_HOST_DEVICE inline float unit_float_open(std::uint32_t word) {
  return (static_cast<float>(word >> 8) + 1.0f) * 0x1p-24f;
}

// A sequential reader of the stream (key, index, item): `index` is usually a set, `item` an observation
// in it. index and item below 2^48. Cheap to make; a copy continues independently.
class Stream {
 public:
  PAIRS_HOST_DEVICE Stream(std::uint64_t key, std::uint64_t index, std::uint64_t item = 0)
      : key_(key),
        c1_(static_cast<std::uint32_t>(item)),
        c2_(static_cast<std::uint32_t>(index)),
        c3_(static_cast<std::uint32_t>((index >> 32) << 16) | static_cast<std::uint32_t>(item >> 32)) {}

  PAIRS_HOST_DEVICE std::uint32_t bits() {
    if (left_ == 0) {
      block_ = philox(key_, c0_++, c1_, c2_, c3_);
      left_ = 4;
    }
    return block_.v[4 - left_--];
  }
  PAIRS_HOST_DEVICE std::uint64_t bits64() {
    const std::uint64_t high = bits();
    return high << 32 | bits();
  }
  // Uniform in [0, 1): uniform() has 24 bits, uniform64() has 53 bits.
  PAIRS_HOST_DEVICE float uniform() { return unit_float(bits()); }
  PAIRS_HOST_DEVICE double uniform64() { return static_cast<double>(bits64() >> 11) * 0x1p-53; }
  // Uniform integer in [0, n), n >= 1; bias below n / 2^64.
  PAIRS_HOST_DEVICE std::uint64_t below(std::uint64_t n) {
    const std::uint64_t x = bits64();
    const std::uint64_t hi = (x >> 32) * n, lo = (x & 0xffffffffull) * n;
    return n >> 32 ? x % n : (hi + (lo >> 32)) >> 32;
  }
  // Standard normal in float64 (Box-Muller, one of the pair), and gamma(shape >= 1/8, scale 1)
  // by Marsaglia and Tsang 2000.
  double normal64() {
    const double u = 1.0 - uniform64(), v = uniform64();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586476925 * v);
  }
  double gamma64(double shape) {
    double boost = 1.0;
    if (shape < 1.0) {
      boost = std::pow(1.0 - uniform64(), 1.0 / shape);
      shape += 1.0;
    }
    const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
      const double z = normal64(), t = 1.0 + c * z;
      if (t <= 0.0) continue;
      const double v = t * t * t, u = 1.0 - uniform64();
      if (std::log(u) < 0.5 * z * z + d - d * v + d * std::log(v)) return boost * d * v;
    }
  }

 private:
  std::uint64_t key_;
  std::uint32_t c0_ = 0, c1_, c2_, c3_;
  PhiloxBlock block_{};
  int left_ = 0;
};

}  // namespace pairs
