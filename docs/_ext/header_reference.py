# SPDX-License-Identifier: Apache-2.0
"""A ``doxygenfile`` that lists a header's names, each fully qualified and in the header's order.

Breathe's own directive redeclares the namespaces on each page, which Sphinx refuses.
"""

from __future__ import annotations

from collections.abc import Iterator

from breathe import parser
from breathe.directives.file import DoxygenFileDirective, path_matches
from breathe.project import ProjectInfo
from breathe.renderer import TaggedNode, filter, mask, target
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from .generated import mark_generated

SECTION_TITLE = "breathe-section-title-"  # prefix of such an id
CLASSES = {
    parser.CompoundKind.class_,
    parser.CompoundKind.struct,
    parser.CompoundKind.union,
}
SCOPES = {parser.CompoundKind.file, parser.CompoundKind.namespace}
# Descriptions first, then members that users may call or derive from; no friends or include graphs.
SECTIONS = (
    "briefdescription detaileddescription innerclass define func typedef enum var"
    " public-func public-attrib public-static-func public-static-attrib public-type"
    " protected-func protected-attrib user-defined"
)


def drop_repeated_ids(node: nodes.Node) -> None:
    """Remove the ids of headings such as "Public Functions", which every class of a page has."""
    for heading in node.findall(nodes.rubric):
        heading["ids"] = [each for each in heading["ids"] if not each.startswith(SECTION_TITLE)]


class HeaderReference(DoxygenFileDirective):
    """Shows the classes, functions, macros, types and values that one header declares."""

    def handle_contents(self, file_: str, project_info: ProjectInfo) -> list[nodes.Node]:
        """Render each name separately, as the directives for single names do."""
        self.options.setdefault("sections", SECTIONS)
        index = self.get_doxygen_index(project_info)
        found = sorted(self.declared(file_, project_info, index), key=lambda each: each[0])
        if not found:
            raise self.error(f"doxygenfile: expected a header that Doxygen read, got {file_}")
        handler = target.create_target_handler(self.options, self.env)
        rendered: list[nodes.Node] = []
        for _, match, filter_ in found:
            rendered += self.render(
                match, project_info, filter_, handler, mask.NullMaskFactory(), self.directive_args
            )
        for node in rendered:
            mark_generated(node, f"include/{file_}")
            drop_repeated_ids(node)
        return rendered

    def declared(
        self, file_: str, project_info: ProjectInfo, index: parser.DoxygenIndex
    ) -> Iterator[tuple[int, filter.FinderMatch, filter.DoxFilter]]:
        """Find the header's declarations: the line, what to render, and which parts."""
        everything = filter.create_outline_filter(self.options)
        seen = set()
        for compound in index.root.compound:
            if compound.kind in CLASSES:
                read = self.dox_parser.parse_compound(compound.refid, project_info).root
                for definition in read.compounddef:
                    if self.lies_in(definition, file_) and not self.is_nested(compound, index):
                        stack = [TaggedNode("compound", compound)]
                        stack.append(TaggedNode("doxygenindex", index.root))
                        options = {**self.options, "members": ""}
                        members = filter.create_class_filter(self.app, compound.name, options)
                        yield definition.location.line or 0, stack, members
            elif compound.kind in SCOPES:
                for member in compound.member:
                    if member.kind == parser.MemberKind.enumvalue:
                        continue  # shown with its enumeration
                    match = filter.extend_member_with_compound(
                        self.dox_parser, project_info, member, compound, index.root
                    )
                    definition = match[0].value
                    if self.lies_in(definition, file_) and member.refid not in seen:
                        seen.add(member.refid)
                        yield definition.location.line or 0, match, everything

    def lies_in(self, definition: parser.Node_compounddefType, file_: str) -> bool:
        """Return whether the header declares the definition."""
        return definition.location is not None and path_matches(definition.location.file, file_)

    def is_nested(self, compound: parser.Node_CompoundType, index: parser.DoxygenIndex) -> bool:
        """Return whether a class is nested in another one, with which it is shown."""
        outer = compound.name.rpartition("::")[0]
        return any(each.kind in CLASSES for each in index.compounds.get(outer, ()))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Replace breathe's directive."""
    app.setup_extension("breathe")
    app.add_directive("doxygenfile", HeaderReference, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
