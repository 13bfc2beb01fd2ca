# At least 13 places are known.
# ruff: noqa
import torch


def bands(x, width, shift):
    """Sums over the bands of a map (B, H, W), in the order in which they lie."""
    B, H, W = x.shape
    sums = []
    for rows in (slice(0, -width), slice(-width, -shift), slice(-shift, None)):
        band = x[:, rows]
        sums.append(band.sum(1))
    return torch.stack(sums, dim=1)


def regions(H, W, width):
    """The number of the region of each place, (1, H, W, 1)."""
    numbers = torch.zeros(1, H, W, 1)
    count = 0
    for rows in (slice(0, -width), slice(-width, None)):
        for columns in (slice(0, -width), slice(-width, None)):
            numbers[:, rows, columns, :] = count
            count += 1
    return numbers


def halves(x):
    first, rest = slice(3), slice(3, None)
    left, right = x[first], x[rest, slice(None, None, 2)]
    return left, right


made = bands(torch.ones(2, 7, 5), 3, 1)
numbers = regions(7, 5, 2)
left, right = halves(torch.ones(5, 6))
