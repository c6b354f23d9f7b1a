// Writes a few valid files for each loader under FOLDER/<loader>/, from which the fuzzers start.
#include <fmt/format.h>
#include <stb_image_write.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/files/safetensors.h"
#include "core/base/text/error.h"

namespace {

void append(void* text, void* data, int size) {
  static_cast<std::string*>(text)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

void write_image_seeds(const std::filesystem::path& folder) {
  constexpr int side = 9;
  std::vector<unsigned char> pixels(4 * side * side);
  for (std::size_t k = 0; k < pixels.size(); ++k) pixels[k] = static_cast<unsigned char>(37 * k);
  const auto write = [&](const char* name, auto&& encode) {
    std::string bytes;
    encode(&bytes);
    pairs::write_file(folder / name, bytes);
  };
  for (const int quality : {50, 100})
    write(quality == 50 ? "subsampled.jpg" : "whole.jpg",
          [&](std::string* out) { stbi_write_jpg_to_func(append, out, side, side, 3, pixels.data(), quality); });
  write("gray.jpg", [&](std::string* out) { stbi_write_jpg_to_func(append, out, side, side, 1, pixels.data(), 60); });
  write("rgb.bmp", [&](std::string* out) { stbi_write_bmp_to_func(append, out, side, side, 3, pixels.data()); });
  write("rgba.bmp", [&](std::string* out) { stbi_write_bmp_to_func(append, out, side, side, 4, pixels.data()); });
  for (const int channels : {1, 3, 4})
    for (const int packed : {0, 1}) {
      stbi_write_tga_with_rle = packed;
      write(fmt::format("{}{}.tga", channels, packed ? "-packed" : "").c_str(),
            [&](std::string* out) { stbi_write_tga_to_func(append, out, side, side, channels, pixels.data()); });
    }
  // A progressive JPEG of 8 x 8 gray pixels in two scans.
  using namespace std::string_literals;
  pairs::write_file(folder / "progressive.jpg",
                    "\xff\xd8\xff\xdb\0\x43\0"s + std::string(64, '\1') +
                        "\xff\xc2\0\x0b\x08\0\x08\0\x08\x01\x01\x11\0\xff\xc4\0\x14\0\x01"s + std::string(16, '\0') +
                        "\xff\xc4\0\x14\x10\x01"s + std::string(16, '\0') +
                        "\xff\xda\0\x08\x01\x01\0\0\0\0\x7f\xff\xda\0\x08\x01\x01\0\x01\x3f\0\x7f\xff\xd9"s);
}

void write_seeds(const std::filesystem::path& folder) {
  for (const char* loader : {"safetensors", "npz", "csv", "toml", "off", "ply", "image", "events", "geom", "table"})
    std::filesystem::create_directories(folder / loader);

  pairs::TensorFile content;
  content.metadata = {{"task", "gaussian"}, {"version", "1"}};
  content.tensors = {{"weight", torch::ones({2, 3})},
                     {"bias", torch::zeros({2}, torch::kDouble)},
                     {"mask", torch::ones({3}, torch::kBool)},
                     {"half", torch::ones({2, 1}, torch::kHalf)},
                     {"empty", torch::zeros({0, 4}, torch::kLong)}};
  pairs::write_safetensors(folder / "safetensors" / "checked", content);
  // Without a checksum, so that changed bytes reach the parser's later parts.
  const std::string header =
      R"({"a":{"dtype":"I32","shape":[2],"data_offsets":[4,12]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  std::string plain = std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header;
  pairs::write_file(folder / "safetensors" / "plain", plain + std::string(12, '\0'));

  pairs::write_npz(folder / "npz" / "two", {{"x", torch::ones({3, 2})}, {"n", torch::arange(4)}});
  pairs::write_npz(folder / "npz" / "bool", {{"flags", torch::ones({5}, torch::kBool)}});
  for (const std::string type : {"<f4", "<u2", "<u4", "|b1", "<f2", "<i8"}) {
    std::string text = "{'descr': '" + type + "', 'fortran_order': True, 'shape': (2, 2), }";
    text.resize(117, ' ');
    pairs::write_file(folder / "npz" / type.substr(1),
                      std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + "\n" +
                          std::string(4 * static_cast<std::size_t>(type[2] - '0'), '\1'));
  }

  pairs::write_file(folder / "csv" / "header", "x, y\n1,2.5\n-3e4,.5\n");
  pairs::write_file(folder / "csv" / "semicolon", "# comment\n\"a\";\"b\"\n1;2\r\n+3;4 # more\n");
  pairs::write_file(folder / "csv" / "blanks", "1 2\t3\n4  5 6\n");

  pairs::write_file(folder / "toml" / "all",
                    "flag = true\ncount = 7\n[train]\nrate = 1e-3\nname = \"b\\u00e9\"\ndeep.sizes = [1, 2]\n"
                    "deep.weights = [0.5, 2, -inf]\n");
  pairs::write_file(folder / "toml" / "inline", "train = { rate = 0x10, deep = { sizes = [] } } # end\n");
  pairs::write_file(folder / "toml" / "strings", "train.name = '''a\nb'''\n[train.deep]\nweights = [1.0]\n");
  pairs::write_file(folder / "toml" / "assignment", "train.deep.sizes=1,2");

  const std::string places = "0 0 0\n1 0 0\n1 1 0\n0 1 0.5\n0.5 0.5 -1e-3\n";
  pairs::write_file(folder / "off" / "joined", "OFF5 2 0\n" + places + "3 0 1 2\n3 0 2 3\n");
  pairs::write_file(folder / "off" / "dented", "OFF\n5 2 9\n" + places + "# faces\n5 0 1 2 3 4 0.5 1 0\n2 0 1\n");
  pairs::write_file(folder / "off" / "bare", "3 1\n0 0 0 1 1 1\n+1 0 0 1 1 1\n0 1 0 1 1 1\n3 0 1 2");

  pairs::write_file(
      folder / "ply" / "text",
      "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n"
      "0 1 0\n3 0 1 2\n");
  pairs::write_file(folder / "ply" / "binary",
                    "ply\r\nformat binary_little_endian 1.0\r\nobj_info none\r\nelement vertex 1\r\n"
                    "property double x\r\nend_header\r\n" +
                        std::string(8, '\0'));

  pairs::write_file(folder / "table" / "commas", "tname,smiles\nethanol,CCO\n\"a \"\"b\"\"\",\"c1cc\nccc1\"\n");
  pairs::write_file(folder / "table" / "bare", "tCCO;ethanol\nCC;ethane\n");
  pairs::write_file(folder / "table" / "lines", "s# a comment\nCCO ethanol\n\nc1ccccc1\tbenzene\n");

  // {"O": {"conformers": [{"xyz": [[8.0, 0, 0, 0]], "boltzmannweight": 1, "totalenergy": -5}]}} and a nil.
  const std::string oxygen(
      "\x81\xa1O\x81\xaa"
      "conformers\x91\x83\xa3xyz\x91\x94\xcb\x40\x20\0\0\0\0\0\0\0\0\0\xaf"
      "boltzmannweight\x01\xab"
      "totalenergy\xfb",
      65);
  pairs::write_file(folder / "geom" / "one", oxygen);
  pairs::write_file(folder / "geom" / "two",
                    oxygen + "\xde" + std::string("\0\x02\xc4\x01N\xc0\xd9\x01", 8) + "C\x81\xa1x\x93\x01\xc3\xa0");

  write_image_seeds(folder / "image");
  pairs::write_file(folder / "events" / "loss",
                    R"({"type":"loss","stage":"pretrain","step":3,"epoch":1,"seconds":0.5,"train":1.5,"n":2})");
  pairs::write_file(folder / "events" / "done", R"({"type":"stage-done","stage":"cache","values":[[{"a":null}]]})");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  try {
    write_seeds(argv[1]);
  } catch (const pairs::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
