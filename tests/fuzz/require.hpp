// What a fuzz target asserts: a violated property ends the program, so that libFuzzer keeps the input.
#pragma once

inline void require(bool ok) {
  if (!ok) __builtin_trap();
}
