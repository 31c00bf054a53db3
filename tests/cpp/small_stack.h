// SPDX-License-Identifier: Apache-2.0
// Runs part of a C++ test with a small stack.
#ifndef TESTS_CPP_SMALL_STACK_H_
#define TESTS_CPP_SMALL_STACK_H_

#include <pthread.h>

#include <cstddef>
#include <exception>

#include "expect.h"

// Runs a function on a thread with a stack of that many bytes, and rethrows its exception.
template <typename Function>
void OnStack(size_t bytes, Function function) {
  struct Work {
    Function& function;
    std::exception_ptr thrown;
  } work{function, nullptr};
  pthread_attr_t attributes;
  EXPECT_EQ(pthread_attr_init(&attributes), 0);
  EXPECT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  const int made = pthread_create(
      &thread, &attributes,
      [](void* given) -> void* {
        auto* work = static_cast<Work*>(given);
        try {
          work->function();
        } catch (...) {
          work->thrown = std::current_exception();
        }
        return nullptr;
      },
      &work);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(made, 0);
  pthread_join(thread, nullptr);
  if (work.thrown) std::rethrow_exception(work.thrown);
}

#endif  // TESTS_CPP_SMALL_STACK_H_
