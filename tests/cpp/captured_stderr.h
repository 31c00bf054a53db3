// SPDX-License-Identifier: Apache-2.0
// Captures the stderr output of code.
#ifndef TESTS_CPP_CAPTURED_STDERR_H_
#define TESTS_CPP_CAPTURED_STDERR_H_

#include <unistd.h>

#include <cstdio>
#include <string>

template <typename F>
std::string StderrOf(F function) {
  std::FILE* file = std::tmpfile();
  std::fflush(stderr);
  const int before = dup(2);
  dup2(fileno(file), 2);
  function();
  std::fflush(stderr);
  dup2(before, 2);
  close(before);
  std::string text(4096, '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

#endif  // TESTS_CPP_CAPTURED_STDERR_H_
