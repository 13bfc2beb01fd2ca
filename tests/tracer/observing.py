"""Runs a program and notes the real shape of every variable, parameter and returned expression.

The program is rewritten so that it reports each value right after it has been bound; what it
computes is not changed. A place is (line, column, name) as `attncheck shapes` prints it.
"""

import ast
import contextlib
import io
import itertools
import sys
import types
import warnings
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

_SEE, _ENTER, _CALL = "__see__", "__enter__", "__activation__"


@dataclass(slots=True)
class Activation:
    """One run of a function (or of the module): the shapes seen at each place, in order.

    `inner` says that it began while another run of the same function had not ended.
    """

    function: str
    inner: bool
    shapes: dict = field(default_factory=lambda: defaultdict(list))


def observe(source, path="<program>"):
    """Run a program as a script; its activations, in the order in which they began."""
    seen = []

    def enter(function):
        frame, running = sys._getframe(1), set()
        while frame := frame.f_back:
            running.add(getattr(frame.f_locals.get(_CALL), "function", None))
        seen.append(Activation(function, bool(function) and function in running))
        return seen[-1]

    def see(activation, line, column, name, value):
        shape = shape_of(value)
        if shape is not None:
            activation.shapes[line, column, name].append(shape)
        return value

    tree = ast.fix_missing_locations(_Reporting().visit(ast.parse(source)))
    module = types.ModuleType("__main__")
    module.__file__ = path
    vars(module).update({_SEE: see, _ENTER: enter})
    # Dataclasses look their module up by its name.
    before = sys.modules["__main__"]
    sys.modules["__main__"] = module
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(tree, path, "exec"), vars(module))
    finally:
        sys.modules["__main__"] = before
    return seen


def shape_of(value):
    """The shape of an array, or None: numbers are not shown, nor are lists, nor jax's keys."""
    if str(getattr(value, "dtype", "")).startswith("key<"):
        return None
    if isinstance(value, np.ndarray):
        return tuple(value.shape)
    if type(value).__module__.startswith(("torch", "jax")) and hasattr(value, "ndim"):
        return tuple(value.shape)
    return None


class _Reporting(ast.NodeTransformer):
    """Puts a report behind each binding."""

    def __init__(self):
        self.scopes = []

    def visit_Module(self, node):
        self.generic_visit(node)
        at = 1 if ast.get_docstring(node) is not None else 0
        while at < len(node.body) and getattr(node.body[at], "module", "") == "__future__":
            at += 1
        node.body[at:at] = [self._entered()]
        return node

    def visit_ClassDef(self, node):
        self.scopes.append(node.name)
        node.body = list(itertools.chain.from_iterable(map(self._inside_class, node.body)))
        self.scopes.pop()
        return node

    def _inside_class(self, node):
        return [self.visit(node)] if isinstance(node, ast.FunctionDef | ast.ClassDef) else [node]

    def visit_FunctionDef(self, node):
        self.scopes.append(node.name)
        node.body = [each for old in node.body for each in _listed(self.visit(old))]
        listed = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        start = 1 if ast.get_docstring(node) is not None and len(node.body) > 1 else 0
        reports = [self._report(arg, arg.arg) for arg in listed]
        node.body[start:start] = [self._entered(), *reports]
        self.scopes.pop()
        return node

    def _entered(self):
        call = ast.Call(_name(_ENTER), [ast.Constant(".".join(self.scopes))], [])
        return ast.Assign([ast.Name(_CALL, ast.Store())], call)

    def visit_Lambda(self, node):
        return node

    def visit_Assign(self, node):
        self.generic_visit(node)
        return [node, *(report for target in node.targets for report in self._targets(target))]

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        return [node, *self._targets(node.target)]

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        return [node, *self._targets(node.target)] if node.value is not None else node

    def visit_For(self, node):
        self.generic_visit(node)
        node.body = [*self._targets(node.target), *node.body]
        return node

    def visit_NamedExpr(self, node):
        self.generic_visit(node)
        return _call(node.target, node.target.id, node)

    def visit_ListComp(self, node):
        return node

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_Return(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Tuple):
            node.value.elts = [
                each if isinstance(each, ast.Starred) else _call(each, "return", each)
                for each in node.value.elts
            ]
        elif node.value is not None:
            node.value = _call(node.value, "return", node.value)
        return node

    def _targets(self, target):
        """Reports about the names and attributes of an assignment's target."""
        if isinstance(target, ast.Tuple | ast.List):
            return [report for part in target.elts for report in self._targets(part)]
        if isinstance(target, ast.Name):
            return [self._report(target, target.id)]
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            return [self._report(target, f"{target.value.id}.{target.attr}")]
        return []

    def _report(self, place, name):
        value = ast.parse(name, mode="eval").body
        return ast.Expr(_call(place, name, value))


def _listed(nodes):
    return nodes if isinstance(nodes, list) else [nodes]


def _name(text):
    return ast.Name(text, ast.Load())


def _call(place, name, value):
    at = [ast.Constant(place.lineno), ast.Constant(place.col_offset + 1), ast.Constant(name)]
    return ast.Call(_name(_SEE), [_name(_CALL), *at, value], [])
