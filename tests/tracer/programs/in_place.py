# At least 4 places are known.
# ruff: noqa
"""Methods that change a tensor's shape where it stands."""

import numpy as np
import torch


def turn(x):
    x.unsqueeze_(0)
    y = x
    y.squeeze_(0)
    z = y
    z.t_()
    return z


a = torch.ones(4, 3)
a.unsqueeze_(0)
b = a
a.transpose_(0, 1)
c = a
d = turn(torch.ones(4, 3))
e = np.zeros((4, 3))
e.shape = (3, 4)
f = e
g = np.zeros(4)
g.resize((2, 2))
h = g
i = torch.zeros(2, 3).fill_(1.0).add_(2.0)
j = torch.zeros(2).resize_(5)
