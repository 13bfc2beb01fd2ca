"""Trains the model, the model without attention, and the five with a silent bug, side by side.

    python examples/silent/train.py

Draws accuracy against length, and writes the numbers beside it. The full run takes about twenty minutes
on one core; `--steps 20` shows that it works. Needs `pip install 'attncheck[examples]'`.
"""

import argparse
import importlib
import json
import random
import sys
from pathlib import Path

import matplotlib as mpl
import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

sys.path.insert(0, str(Path(__file__).parent))
from copy_task import accuracy, draw, loss

MODELS = {
    "attention": "additive attention",
    "no_attention": "no attention",
    "softmax_axis": "softmax over the batch",
    "outer_broadcast": "outer broadcast",
    "post_step_state": "state of the wrong step",
    "late_mask": "mask after softmax",
    "scrambled_heads": "scrambled heads",
}
SHORTEST, LONGEST = 5, 80
LENGTHS = (5, 10, 20, 30, 40, 50, 60, 70, 80)


def main():
    """Trains, measures, prints, draws."""
    args = parse_arguments()
    # The operations are small: one thread is the quickest.
    torch.set_num_threads(1)
    columns = (TextColumn("{task.description:18}"), BarColumn(), MofNCompleteColumn())
    found = {}
    with Progress(*columns, TextColumn("{task.fields[said]}"), TimeRemainingColumn()) as bar:
        for name in args.models:
            task = bar.add_task(name, total=args.steps, said="")
            model = train(
                name, args, lambda said, task=task: bar.update(task, advance=1, said=said)
            )
            found[name] = measure(model, args)
    print_table(found)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    numbers = {"steps": args.steps, "seed": args.seed, "lengths": LENGTHS, "accuracy": found}
    args.output.with_suffix(".json").write_text(json.dumps(numbers, indent=2) + "\n")
    draw_figure(found, args.output)


def parse_arguments():
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--steps", type=int, default=1000, help="batches (default: %(default)s)")
    parser.add_argument("--batch", type=int, default=16, help="sequences (default: %(default)s)")
    parser.add_argument("--symbols", type=int, default=12, help="vocabulary (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=5e-3, help="of learning, at its highest")
    parser.add_argument(
        "--sequences", type=int, default=64, help="measured a length (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("silent.png"), help="the figure")
    return parser.parse_args()


def train(name, args, show):
    """One model, trained on lengths that grow until all from 5 to 80 are drawn alike."""
    torch.manual_seed(args.seed)
    random.seed(args.seed)
    generator = torch.Generator().manual_seed(args.seed)
    model = importlib.import_module(name).CopyModel(args.symbols)
    optimiser = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, args.rate, total_steps=args.steps, pct_start=0.1
    )
    for step in range(args.steps):
        longest = SHORTEST + (LONGEST - SHORTEST) * min(1, 2 * (step + 1) / args.steps)
        lengths = [random.randint(SHORTEST, round(longest)) for _ in range(args.batch)]
        value = loss(model, draw(lengths, args.symbols, generator))
        optimiser.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        show(f"loss {value.item():.3f}")
    return model.eval()


def measure(model, args):
    """The accuracy at each of LENGTHS."""
    generator = torch.Generator().manual_seed(args.seed + 1)
    return [
        round(accuracy(model, length, args.symbols, generator, args.sequences), 3)
        for length in LENGTHS
    ]


def print_table(found):
    """The accuracies, a model a line."""
    print(f"{'length':18}" + "".join(f"{length:7}" for length in LENGTHS))
    for name, values in found.items():
        print(f"{name:18}" + "".join(f"{value:7.2f}" for value in values))


def draw_figure(found, path):
    """Accuracy against length, a line a model."""
    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for name, values in found.items():
        thick = 2.5 if name == "attention" else 1.5
        axes.plot(LENGTHS, values, marker="o", markersize=3, linewidth=thick, label=MODELS[name])
    axes.set(xlabel="length of the sequence", ylabel="symbols copied right", ylim=(0, 1.02))
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


if __name__ == "__main__":
    main()
