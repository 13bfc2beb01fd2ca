"""The examples compute what their formulas say, and the broken ones do not.

Every value is compared with loops over single numbers (`attention_formulas.py`), on arrays whose
sizes differ pairwise, so that no transposed or misaligned operand can go unnoticed.
"""

import ast
import re
import runpy

import example_catalogue as catalogue
import numpy as np
import pytest
from broken_examples import BROKEN, expectation, outcome, projection, same, twin

from attncheck.rule import all_rules

ROOT, EXAMPLES, BY_PATH = catalogue.ROOT, catalogue.EXAMPLES, catalogue.BY_PATH
NEEDS_A_PROJECTION = ROOT / "broken/query-key-size/expected.json"
PLAIN = sorted(ROOT.glob("numpy/*_plain.py"))
DEMOS = [
    path
    for framework in catalogue.FRAMEWORKS
    for path in sorted(ROOT.glob(f"{framework}/*.py"))
    if path not in PLAIN
]
RULES = {rule.code: rule.name for rule in all_rules()}


def name_of(value):
    return value.path if isinstance(value, catalogue.Example) else "/".join(value.parts[-2:])


def need(example):
    pytest.importorskip(example.framework)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_equals_the_formula(example, seed):
    need(example)
    inputs = example.inputs(seed)
    for result, wanted in zip(example.run(inputs), example.expected(inputs), strict=True):
        assert result.shape == wanted.shape
        np.testing.assert_allclose(result, wanted, atol=example.tolerance)


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_weights_are_distributions(example):
    need(example)
    *_, weights = example.run(example.inputs(2))
    assert weights.shape[-1] == catalogue.SIZES["T_enc"]
    assert weights.min() >= 0
    np.testing.assert_allclose(weights.sum(axis=-1), 1.0, atol=example.tolerance)


@pytest.mark.parametrize(
    "example", [e for e in EXAMPLES if "lengths" in e.shapes or "mask" in e.shapes], ids=name_of
)
def test_masked_positions_get_no_weight(example):
    need(example)
    inputs = example.inputs()
    _, weights = example.run(inputs)
    B, T_enc = weights.shape[0], weights.shape[-1]
    keep = inputs["mask"] if "mask" in inputs else np.arange(T_enc) < inputs["lengths"][:, None]
    assert 0 < (~keep).sum() < B * (T_enc - 1)
    by_position = np.moveaxis(weights, -1, 1)
    assert np.all(by_position[~keep] == 0.0)
    assert np.all(by_position[keep] > 0.0)


def test_padding_rows_get_no_weight():
    example = BY_PATH["numpy/additive_padding.py"]
    _, weights = example.run(example.inputs())
    assert weights[-2:].tolist() == [0.0, 0.0]
    assert np.all(weights[:-2] > 0)


@pytest.mark.parametrize("framework", ["numpy", "torch"])
def test_masked_softmax_ignores_what_padding_scores(framework):
    need(BY_PATH[f"{framework}/masked_softmax.py"])
    module = catalogue.load(ROOT / framework / "masked_softmax.py")
    scores = np.array([[1.0, 2.0, 50.0], [0.5, 0.5, 0.5]])
    lengths = np.array([2, 3])
    if framework == "torch":
        import torch

        scores, lengths = torch.from_numpy(scores), torch.from_numpy(lengths)
    weights = np.asarray(module.masked_softmax(scores, lengths))
    first = 1 / (1 + np.e)
    np.testing.assert_allclose(weights, [[first, 1 - first, 0], [1 / 3, 1 / 3, 1 / 3]], atol=1e-12)


@pytest.mark.parametrize(
    ("many", "single"),
    [
        ("numpy/multi_head_general.py", "numpy/general.py"),
        ("numpy/multi_head_general.py", "numpy/general_plain.py"),
        ("torch/multi_head_general.py", "torch/general.py"),
        ("numpy/multi_head_general_batched.py", "numpy/general.py"),
    ],
)
def test_one_head_is_single_head_general_attention(many, single):
    many, single = BY_PATH[many], BY_PATH[single]
    need(many)
    inputs = many.inputs(3, n_heads=1)
    context, weights = many.run(inputs)
    matrix = inputs["W"][0]
    states, memory = inputs["decoder_state"], inputs["encoder_states"]
    if not many.batched:
        states, memory, context, weights = states[None], memory[None], context[None], weights[None]
    for b in range(len(states)):
        alone = single.run({"decoder_state": states[b], "encoder_states": memory[b], "W": matrix})
        np.testing.assert_allclose(context[b], alone[0], atol=1e-12)
        np.testing.assert_allclose(weights[b, 0], alone[1], atol=1e-12)


@pytest.mark.parametrize("framework", ["numpy", "torch"])
def test_one_head_self_attention_is_scaled_dot_product_attention(framework):
    many, single = (
        BY_PATH[f"{framework}/multi_head_self_attention.py"],
        BY_PATH["numpy/scaled_dot_product.py"],
    )
    need(many)
    inputs = many.inputs(4, n_heads=1)
    output, weights = many.run(inputs)
    for b, x in enumerate(inputs["x"]):
        qkv = {
            name: x @ inputs[W] for name, W in [("query", "W_q"), ("key", "W_k"), ("value", "W_v")]
        }
        alone = single.run(qkv)
        np.testing.assert_allclose(output[b], alone[0] @ inputs["W_o"], atol=1e-12)
        np.testing.assert_allclose(weights[b, 0], alone[1], atol=1e-12)


@pytest.mark.parametrize(("torch_path", "numpy_path"), list(catalogue.twins()))
def test_torch_equals_numpy(torch_path, numpy_path):
    pytest.importorskip("torch")
    inputs = BY_PATH[numpy_path].inputs(5)
    ours, theirs = BY_PATH[torch_path].run(inputs), BY_PATH[numpy_path].run(inputs)
    for left, right in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(left, right, atol=1e-12)


def test_torch_scaled_dot_product_equals_numpy_head_by_head():
    pytest.importorskip("torch")
    example = BY_PATH["torch/scaled_dot_product.py"]
    batched = BY_PATH["numpy/scaled_dot_product_batched.py"]
    inputs = example.inputs(6)
    output, weights = example.run(inputs)
    for n in range(output.shape[1]):
        one = {name: value if name == "mask" else value[:, n] for name, value in inputs.items()}
        alone = batched.run(one)
        np.testing.assert_allclose(output[:, n], alone[0], atol=1e-12)
        np.testing.assert_allclose(weights[:, n], alone[1], atol=1e-12)


def test_worked_example():
    module = catalogue.load(ROOT / "numpy/worked_example.py")
    decoder_state, encoder_states = module.example()
    assert (encoder_states @ decoder_state).round(12).tolist() == [0.7, 0.28, 0.0]
    context, weights = module.dot_attention(decoder_state, encoder_states)
    assert weights.round(3).tolist() == [0.464, 0.305, 0.231]
    assert context.round(3).tolist() == [0.385, 0.063]


def test_every_example_is_in_the_catalogue():
    files = {"/".join(path.parts[-2:]) for path in (*DEMOS, *PLAIN)}
    assert files == set(BY_PATH)
    assert len(EXAMPLES) == len(BY_PATH)


@pytest.mark.parametrize("path", DEMOS, ids=name_of)
def test_demo_prints_and_its_sizes_differ(path, capsys):
    pytest.importorskip(path.parent.name)
    made = runpy.run_path(str(path), run_name="__main__")
    assert re.search(r"\d", capsys.readouterr().out)
    known = {*catalogue.SIZES, "d_model", "T"}
    sizes = [value for name, value in made.items() if name in known]
    assert len(sizes) == len(set(sizes))
    assert len(sizes) >= 2 or path.stem == "worked_example"


@pytest.mark.parametrize("path", PLAIN, ids=name_of)
def test_plain_files_say_nothing_about_shapes(path):
    text = path.read_text(encoding="utf-8")
    assert "#" not in text
    tree = ast.parse(text)
    assert not re.search(r"[(\[](?!Bahdanau|Luong)", ast.get_docstring(tree))
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        assert ast.get_docstring(function) is None
        assert all(argument.annotation is None for argument in function.args.args)
    assert all(not isinstance(node, ast.If | ast.AnnAssign) for node in tree.body)


def repaired(source, wanted):
    lines = source.split("\n")
    old = lines[wanted["line"] - 1]
    lines[wanted["line"] - 1] = old[: len(old) - len(old.lstrip())] + wanted["fix"]
    return "\n".join(lines)


def test_a_broken_folder_is_named_after_its_rule():
    inner = {ROOT / "broken" / "jax", ROOT / "broken" / "keras"}
    folders = {
        *(ROOT / "broken").iterdir(),
        *(each for folder in inner for each in folder.iterdir()),
    }
    assert {path.parent for path in BROKEN} == folders - inner
    for path in BROKEN:
        wanted, _ = expectation(path)
        assert path.parent.name == wanted["name"] == RULES[wanted["code"]]
        files = {file.name for file in path.parent.iterdir() if file.is_file()}
        assert files == {wanted["file"], "expected.json"}


@pytest.mark.parametrize("path", BROKEN, ids=name_of)
def test_broken_files_name_no_bug(path):
    wanted, source = expectation(path)
    line = source.split("\n")[wanted["line"] - 1].strip()
    assert line and line != wanted["fix"]
    assert source.count(f"{line}\n") == 1
    assert not re.search(r"(?i)\b(bug|wrong|broken|error|fixme|ATN\d+)\b", source)
    if wanted["tensor"]:
        assert wanted["code"] in ("ATN201", "ATN601") or wanted["tensor"] in line


@pytest.mark.filterwarnings("ignore:Using a target size:UserWarning")
@pytest.mark.parametrize("path", BROKEN, ids=name_of)
def test_broken_files_behave_as_expected(path):
    wanted, source = expectation(path)
    example = twin(wanted)
    inputs = example.inputs(7, **wanted.get("sizes", {}))
    if wanted["outcome"] == "unparsable":
        with pytest.raises(SyntaxError) as caught:
            compile(source, "<broken>", "exec")
        assert caught.value.lineno == wanted["line"]
        return
    if wanted["outcome"] == "raises":
        with pytest.raises((ValueError, RuntimeError, IndexError)):
            outcome(source, example, inputs)
        return
    broken, clean = outcome(source, example, inputs), example.run(inputs)
    equal = all(same(*pair) for pair in zip(broken, clean, strict=True))
    assert equal == (wanted["outcome"] == "same")


@pytest.mark.filterwarnings("ignore:Using a target size:UserWarning")
@pytest.mark.parametrize("path", BROKEN, ids=name_of)
def test_broken_demos(path, capsys):
    """A demo shows the bug: it raises where the code is loud, and runs where it is silent."""
    wanted, source = expectation(path)
    if "__main__" not in source:
        assert wanted["code"] in ("ATN102", "ATN205", "ATN902")
        return
    twin(wanted)
    file = str(path.parent / wanted["file"])
    if wanted["outcome"] == "raises":
        with pytest.raises((ValueError, RuntimeError)):
            runpy.run_path(file, run_name="__main__")
        return
    runpy.run_path(file, run_name="__main__")
    assert re.search(r"\d", capsys.readouterr().out)


@pytest.mark.parametrize("path", [p for p in BROKEN if p != NEEDS_A_PROJECTION], ids=name_of)
def test_the_recorded_fix_gives_the_clean_values(path):
    wanted, source = expectation(path)
    example = twin(wanted)
    inputs = example.inputs(8, **wanted.get("sizes", {}))
    fixed = outcome(repaired(source, wanted), example, inputs)
    for value, clean in zip(fixed, example.run(inputs), strict=True):
        assert same(value, clean)


def test_projection_makes_a_bidirectional_encoder_fit_the_dot_score():
    wanted, source = expectation(NEEDS_A_PROJECTION)
    example = twin(wanted)
    inputs = example.inputs(9, **wanted["sizes"])
    assert inputs["encoder_states"].shape[1] == 2 * inputs["decoder_state"].shape[0]
    names, clean = projection(wanted)
    context, weights = outcome(repaired(source, wanted), example, inputs, names)
    general = BY_PATH["numpy/general.py"].run(inputs | clean)
    np.testing.assert_allclose(context, general[0], atol=1e-12)
    np.testing.assert_allclose(weights, general[1], atol=1e-12)
