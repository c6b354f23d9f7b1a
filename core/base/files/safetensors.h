#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace pairs {

// Named tensors and string metadata in the safetensors format (readable from Python).
struct TensorFile {
  std::map<std::string, torch::Tensor> tensors;  // contiguous, on the CPU
  std::map<std::string, std::string> metadata;   // without "pairs_crc32", which the reader checks and the writer sets
  bool checked = false;                          // the file was read and had a correct checksum
};

// Reads a safetensors file. Hostile input is expected: header length, JSON, dtypes, shapes, overlaps, gaps and
// the checksum (metadata key "pairs_crc32" when present) are all verified, memory stays within the file size; throws
// Error with one sentence. Supported dtypes: F64 F32 F16 BF16 I64 I32 I16 I8 U8 BOOL, each read as it is.
TensorFile read_safetensors(const std::filesystem::path& file);
// Parses a file in memory; `where` names the source in errors.
TensorFile parse_safetensors(std::string_view bytes, const std::string& where);

// The metadata of a file in memory, whose checksum and tensors are not verified; empty for other files.
std::map<std::string, std::string> safetensors_metadata(std::string_view bytes, const std::string& where);

// Writes atomically; tensors are brought to the CPU and made contiguous. Adds the metadata "pairs_crc32": the checksum
// of the whole file in 8 hexadecimal digits, computed with "00000000" in their place.
void write_safetensors(const std::filesystem::path& file, const TensorFile& content);
// The bytes that write_safetensors writes; `where` names the target in errors.
std::string format_safetensors(const TensorFile& content, const std::string& where);

}  // namespace pairs
