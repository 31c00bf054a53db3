// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/global_names.h
 * \brief The names of the global functions.
 */
#ifndef TVM_FFI_GLOBAL_NAMES_H_
#define TVM_FFI_GLOBAL_NAMES_H_

#include <tvm/ffi/function_object.h>
#include <tvm/ffi/string.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief The names found by Function::ListGlobalNames. */
class GlobalNames {
 public:
  /*! \brief An input iterator over the names. */
  class Iterator {
   public:
    /*! \brief Iterator category: input. */
    using iterator_category = std::input_iterator_tag;
    /*! \brief The type of the elements. */
    using value_type = String;
    /*! \brief Type of a distance between iterators. */
    using difference_type = int64_t;
    /*! \brief There are no pointers: names are created on demand. */
    using pointer = void;
    /*! \brief A name. */
    using reference = String;

    /*! \brief Points to the name at `index` in `names`, which must outlive it. */
    Iterator(const GlobalNames* names, int64_t index) : names_(names), index_(index) {}
    /*! \brief The name. */
    String operator*() const { return (*names_)[static_cast<size_t>(index_)]; }
    /*! \brief Advances to the next name. */
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    /*! \brief Whether both are at the same position. */
    bool operator==(const Iterator& other) const { return index_ == other.index_; }
    /*! \brief Whether they are at different positions. */
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }

   private:
    const GlobalNames* names_;
    int64_t index_;
  };

  /*! \brief Wraps a function that returns the name at an index, or the number of names for -1. */
  explicit GlobalNames(Function names) : names_(std::move(names)) {}

  /*! \brief Number of names. */
  size_t size() const { return static_cast<size_t>(names_(-1).cast<int64_t>()); }
  /*! \brief The name at `i`; throws an IndexError beyond the end. */
  String operator[](size_t i) const { return names_(i).cast<String>(); }
  /*! \brief The first name. */
  Iterator begin() const { return Iterator(this, 0); }
  /*! \brief One past the last name. */
  Iterator end() const { return Iterator(this, static_cast<int64_t>(size())); }
  /*! \brief The names in a container, such as std::vector<String>. */
  template <typename Container, typename = std::enable_if_t<
                                    std::is_constructible<Container, Iterator, Iterator>::value>>
  operator Container() const {
    return Container(begin(), end());
  }

 private:
  Function names_;
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_GLOBAL_NAMES_H_
