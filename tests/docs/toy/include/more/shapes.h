// SPDX-License-Identifier: Apache-2.0
/** \file
 * \brief A second header in the same namespace.
 */
#pragma once

/*! \brief The number of corners that a square has. */
#define TOY_CORNERS 4

namespace toy {

/*! \brief A kind of shape. */
enum class Kind {
  kSquare, /*!< \brief With four corners. */
};

/*! \brief A square. */
class Square {
 public:
  /*! \brief What a square is made of. */
  struct Side {
    /*! \brief How long it is. */
    int length;
    /*! \brief How long it is, both ways. */
    int both_ways() const;
  };
  /*! \brief The area. */
  int area() const;
  /*! \brief What the class trusts is no part of its interface. */
  friend int measure(const Square& square);
};

}  // namespace toy
