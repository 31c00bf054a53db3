var searchData=
[
  ['agents_0',['AGENTS',['../md_AGENTS.html',1,'']]]
];
