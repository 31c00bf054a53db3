/* SPDX-License-Identifier: Apache-2.0 */
/* An error message contains the reader's own names and paths, which no page has.
   Sphinx's search requires every word; this also finds headings that the message nearly contains
   and, if no page has every word, the pages with most of them. */

"use strict";

(() => {
  const FEWEST = 4; // words that make a message
  const pagesWithAll = Search.performTermsSearch;
  const stemmer = new Stemmer();

  const wordsOf = (text) =>
    new Set(splitQuery(text.toLowerCase()).map((word) => stemmer.stemWord(word)));
  const typed = wordsOf(new URLSearchParams(window.location.search).get("q") ?? "");

  /* The page or section that the site assigns to the typed words, allowing one word more. */
  const named = () =>
    SEARCH_WORDS.flatMap(([text, page, anchor, title]) => {
      const words = [...wordsOf(text)];
      if (typed.size > words.length + 1 || !words.every((word) => typed.has(word))) return [];
      const { docnames, filenames } = Search._index;
      const file = filenames[docnames.indexOf(page)];
      return [[page, title, anchor, null, 100 * words.length, file, SearchResultKind.title]];
    });

  /* The sections for which most words of the heading were typed. */
  const sections = () => {
    const { alltitles, docnames, filenames, titles } = Search._index;
    return Object.entries(alltitles).flatMap(([title, places]) => {
      const words = [...wordsOf(title)];
      const common = words.filter((word) => typed.has(word)).length;
      if (common < FEWEST || common < 0.6 * words.length) return [];
      const score = (Scorer.title * 2 * common) / words.length + common;
      return places.map(([page, id]) => [
        docnames[page],
        id === null ? title : `${titles[page]} > ${title}`,
        id === null ? "" : `#${id}`,
        null,
        score,
        filenames[page],
        SearchResultKind.title,
      ]);
    });
  };

  /* The pages with most of the words; rare words count more. */
  const pagesWithMost = (message, excluded) => {
    const pages = new Map();
    for (const word of message) {
      const found = pagesWithAll(new Set([word]), excluded);
      for (const page of found) {
        const best = pages.get(page[0]) ?? [...page.slice(0, 4), 0, ...page.slice(5)];
        best[4] += Math.log(1 + Search._index.docnames.length / found.length);
        pages.set(page[0], best);
      }
    }
    const highest = Math.max(...[...pages.values()].map((page) => page[4]));
    return [...pages.values()].filter((page) => page[4] > 0.7 * highest);
  };

  Search.performTermsSearch = (message, excluded) => {
    const pages = pagesWithAll(message, excluded);
    if (typed.size < FEWEST) return [...named(), ...pages];
    return [...named(), ...sections(), ...(pages.length ? pages : pagesWithMost(message, excluded))];
  };

  /* For a message, rank the page of symptoms above others. */
  const lead = typed.size < FEWEST ? 0 : 2;
  Scorer.score = ([page, , , , score]) => score + (page === "guides/troubleshooting" ? lead : 0);
})();
