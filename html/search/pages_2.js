var searchData=
[
  ['readme_0',['README',['../md_README.html',1,'']]]
];
