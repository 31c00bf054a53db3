# SPDX-License-Identifier: Apache-2.0
"""The compiler's front end: expressions over tensors, such as "2 * x + y"."""

import ast

# [expression.begin]
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def parse(text: str) -> tuple[ast.expr, list[str]]:
    """Parse an expression; return its tree, and the names of the tensors that it reads."""
    tree = ast.parse(text, mode="eval").body
    names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})
    if not names or "out" in names:
        raise ValueError(f"expression: expected names of tensors other than out, got {text}")
    return tree, names


def to_c(node: ast.expr) -> str:
    """The expression in C, for element i of float tensors."""
    match node:
        case ast.BinOp(left, operator, right) if type(operator) in SIGNS:
            return f"({to_c(left)} {SIGNS[type(operator)]} {to_c(right)})"
        case ast.Name(name):
            return f"{name}_[i]"  # so that no name is a C keyword
        case ast.Constant(int() | float() as number):
            return f"{float(number)}f"
    raise ValueError(f"expression: expected names, numbers and + - * /, got {ast.unparse(node)}")


# [expression.end]
