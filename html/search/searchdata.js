var indexSectionsWithContent =
{
  0: "acr",
  1: "acr"
};

var indexSectionNames =
{
  0: "all",
  1: "pages"
};

var indexSectionLabels =
{
  0: "All",
  1: "Pages"
};

