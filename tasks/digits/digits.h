#pragma once

#include <memory>
#include <string>

#include "core/task.h"

namespace pairs {

// Digit Expectation: each x is a digit image drawn with class probabilities p ~ Dirichlet(0.25, but 2.5 for 6 and 9),
// all turned by one angle ψ ~ U(0, 2π) and each with Gaussian noise of its own sd ~ U(0.1, 0.3); a 9 is a 6 turned by
// 180 degrees. θ = Σ k p_k is to be inferred. psi holds the angle and p. Images come from MNIST in `data` (see
// read_mnist); where `data` is empty every observation is a glyph of its own, drawn by draw_glyph, and none repeats.
//
// MNIST's images are shared out once: 40 % of the training images to stage 1, 50 % to stages 2 and 3, 10 % to
// validation and to what is shown to people; tests use t10k. A large set shows how its own images differ from the
// training images at large: with 1,000 images of a class at hand, as in t10k, a class's mean is known no better than by
// 1,000 draws. So that posteriors allow for it, a set of stage 2 (Purpose::finetune) draws each class from a fifth of
// its share of the images, 600 neighbours in the file, which in MNIST share their writers: such a part deviates from
// the share's mean by as much as t10k does, 1 / 600 - 1 / 3,000 = 1 / 1,000 + 1 / 3,000.
std::shared_ptr<const Task> make_digits(const std::string& data);

}  // namespace pairs
