#pragma once

#include <memory>
#include <string>

#include "core/task.h"

namespace pairs {

// Digit Expectation: each x is a digit image drawn with class probabilities p ~ Dirichlet(0.25, but 2.5 for 6 and 9),
// all rotated by one angle ψ ~ U(0, 2π) and each with Gaussian noise of its own sd ~ U(0.1, 0.3); a 9 is a 6 rotated by
// 180 degrees. θ = Σ k p_k is to be inferred. psi holds the angle and p. Images come from MNIST in `data` (see
// read_mnist); if `data` is empty, every observation is a new glyph from draw_glyph, and none repeats.
//
// MNIST's images are divided once: 40 % of the training images to stage 1, 50 % to stages 2 and 3, 10 % to validation
// and to sets shown to people; tests use t10k. A large set reveals how its images differ from the training images on
// average: with 1,000 images per class, as in t10k, a class's mean is known no better than from 1,000 samples. To
// include this in the posteriors, a set of stage 2 (Purpose::finetune) draws each class from a fifth of its share of
// the images, 600 neighbors in the file, which in MNIST have the same writers: such a part deviates from the share's
// mean as much as t10k does, 1 / 600 - 1 / 3,000 = 1 / 1,000 + 1 / 3,000.
std::shared_ptr<const Task> make_digits(const std::string& data);

}  // namespace pairs
