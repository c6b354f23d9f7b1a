#pragma once

#include <cstdint>
#include <string>

// Numbers as readable text.
namespace pairs {

// 1234567 -> "1,234,567".
std::string count_text(std::int64_t value);
// Readable durations: "0.4 s", "12 s", "3 min 20 s", "2 h 05 min".
std::string duration_text(double seconds);
// "ETA"-style clock: "0:32", "1:05:09".
std::string clock_text(double seconds);
// The finished share in percent: 0.608 -> "60 %", rounded down so that 100 % is the end; "" for NaN.
std::string percent_text(double share);
// A number with `digits` decimals, with a real minus sign; "–" for NaN.
std::string number_text(double value, int digits);
// "0.012 ± 0.003"; the second part is omitted if `error` is NaN.
std::string with_error_text(double value, double error, int digits);
// The local date of a time in seconds since 1970: "2026-11-28".
std::string day_text(std::int64_t seconds);
// "12.3 GFLOP", "4.5 TFLOP".
std::string flop_text(double gflop);

}  // namespace pairs
