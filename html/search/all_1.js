var searchData=
[
  ['changelog_0',['CHANGELOG',['../md_CHANGELOG.html',1,'']]]
];
