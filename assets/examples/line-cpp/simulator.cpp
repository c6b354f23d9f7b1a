// A simulator for Pairs Studio without any library: points (u, v) on a line v = a + b u with noise of unknown size.
// It implements the protocol of docs/how-to/own-task.md: lines of text with the requests, and numbers in binary.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace {

struct Draw {
  std::uint64_t key, set, block, count;
};

// Everything random in a draw is a function of its first three numbers.
std::mt19937_64 stream(const Draw& draw) {
  const std::uint64_t words[3] = {draw.key, draw.set, draw.block};
  std::vector<std::uint32_t> seeds;
  for (const std::uint64_t word : words) {
    seeds.push_back(static_cast<std::uint32_t>(word));
    seeds.push_back(static_cast<std::uint32_t>(word >> 32));
  }
  std::seed_seq sequence(seeds.begin(), seeds.end());
  return std::mt19937_64(sequence);
}

template <class Number>
bool read(std::vector<Number>& values) {
  return std::fread(values.data(), sizeof(Number), values.size(), stdin) == values.size();
}
template <class Number>
void answer(unsigned long long request, const std::vector<Number>& values) {
  std::printf("answer %llu %zu\n", request, values.size() * sizeof(Number));
  std::fwrite(values.data(), sizeof(Number), values.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

int main() {
  char line[200];
  if (!std::fgets(line, sizeof line, stdin) || std::string(line) != "pairs 1 theta 2 psi 1 x points 2\n") return 1;
  std::puts("pairs 1");
  std::fflush(stdout);
  char what[16];
  unsigned long long request = 0, count = 0;
  while (std::fgets(line, sizeof line, stdin) && std::sscanf(line, "%15s %llu %llu", what, &request, &count) == 3) {
    std::vector<Draw> draws(count);
    if (!read(draws)) return 1;
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    if (what[0] == 'p') {  // prior: for each draw all theta = (a, b), then all psi
      std::vector<double> values;
      for (const Draw& draw : draws) {
        std::mt19937_64 random = stream(draw);
        normal.reset();
        for (std::uint64_t k = 0; k < 2 * draw.count; ++k) values.push_back(normal(random));
        for (std::uint64_t k = 0; k < draw.count; ++k) values.push_back(0.1 + 0.9 * uniform(random));
      }
      answer(request, values);
    } else {  // simulate: reads theta of all draws, then psi of all draws
      std::vector<double> theta(2 * count), psi(count);
      if (!read(theta) || !read(psi)) return 1;
      std::vector<float> x;
      for (std::uint64_t k = 0; k < count; ++k) {
        std::mt19937_64 random = stream(draws[k]);
        normal.reset();
        for (std::uint64_t j = 0; j < draws[k].count; ++j) {
          const double u = 2 * uniform(random) - 1;
          x.push_back(static_cast<float>(u));
          x.push_back(static_cast<float>(theta[2 * k] + theta[2 * k + 1] * u + psi[k] * normal(random)));
        }
      }
      answer(request, x);
    }
  }
}
