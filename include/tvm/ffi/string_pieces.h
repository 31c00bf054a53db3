// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/string_pieces.h
 * \brief The pieces of a text between separators.
 */
#ifndef TVM_FFI_STRING_PIECES_H_
#define TVM_FFI_STRING_PIECES_H_

#include <tvm/ffi/attributes.h>

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*!
 * \brief The pieces of a text between separators, found on demand.
 *
 * It converts to a container that is constructed from two iterators, such as
 * `std::vector<std::string_view>`, so that kernels need not include its header. The pieces are
 * views of the text, which must outlive them.
 */
class StringPieces {
 public:
  /*! \brief Iterates over the pieces. */
  class iterator {
   public:
    /*! \brief Iterator category: forward. */
    using iterator_category = std::forward_iterator_tag;
    /*! \brief Type of a piece. */
    using value_type = std::string_view;
    /*! \brief Type of a distance between iterators. */
    using difference_type = std::ptrdiff_t;
    /*! \brief A pointer to a piece. */
    using pointer = const std::string_view*;
    /*! \brief A piece, stored in the iterator. */
    using reference = const std::string_view&;

    /*! \brief The end of an empty sequence. */
    iterator() = default;
    /*! \brief The piece. */
    reference operator*() const { return piece_; }
    /*! \brief The piece. */
    pointer operator->() const { return &piece_; }
    /*! \brief Advances to the next piece. */
    iterator& operator++() {
      at_end_ = is_last_;
      if (!at_end_) Find();
      return *this;
    }
    /*! \brief Advances to the next piece and returns the previous position. */
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    /*! \brief Whether both are at the same piece, or at the end. */
    bool operator==(const iterator& other) const {
      return at_end_ == other.at_end_ && (at_end_ || piece_.data() == other.piece_.data());
    }
    /*! \brief Whether they are at different pieces. */
    bool operator!=(const iterator& other) const { return !(*this == other); }

   private:
    friend class StringPieces;
    iterator(std::string_view text, char separator)
        : rest_(text), separator_(separator), at_end_(false) {
      Find();
    }

    void Find() {
      const size_t size = rest_.find(separator_);
      is_last_ = size == std::string_view::npos;
      piece_ = rest_.substr(0, size);
      if (!is_last_) rest_.remove_prefix(size + 1);
    }

    std::string_view piece_, rest_;
    char separator_ = 0;
    bool is_last_ = true, at_end_ = true;
  };
  /*! \brief The pieces are read-only. */
  using const_iterator = iterator;
  /*! \brief Type of a piece. */
  using value_type = std::string_view;

  /*! \brief The pieces of `text` between the separators: one more than there are separators. */
  StringPieces(std::string_view text, char separator) : text_(text), separator_(separator) {}

  /*! \brief The first piece. */
  iterator begin() const { return iterator(text_, separator_); }
  /*! \brief One past the last piece. */
  iterator end() const { return iterator(); }
  /*! \brief Number of pieces, at least 1; scans the text. */
  size_t size() const {
    size_t found = 1;
    for (const char c : text_) found += c == separator_;
    return found;
  }
  /*! \brief Always false: an empty text has one piece, which is empty. */
  bool empty() const { return false; }
  /*! \brief The i-th of `size()` pieces; scans the text. */
  std::string_view operator[](size_t i) const {
    iterator it = begin();
    while (i-- > 0) ++it;
    return *it;
  }
  /*! \brief The first piece. */
  std::string_view front() const { return *begin(); }
  /*! \brief The last piece. */
  std::string_view back() const { return text_.substr(text_.rfind(separator_) + 1); }

  /*! \brief All pieces in a container. */
  template <typename Container, typename = std::enable_if_t<
                                    std::is_constructible<Container, iterator, iterator>::value>>
  operator Container() const {  // NOLINT(runtime/explicit)
    return Container(begin(), end());
  }

 private:
  std::string_view text_;
  char separator_;
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_STRING_PIECES_H_
