"""A problem small enough to know: fit y = 2x with dropout, in three batches an epoch."""

import torch

from biascheck.mitigation.recipes import Recipe

RECIPE = Recipe(epochs=4, learning_rate=0.05, patience=4)


class Line:
    """The task; it can be interrupted at a step, and its validation figures can be given."""

    def __init__(self, fail_at=None, figures=None):
        self.fail_at, self.figures = fail_at, figures
        self.taken = 0
        self.order = []

    def batches(self, epoch):
        generator = torch.Generator().manual_seed(epoch)
        return list(torch.randn(3, 8, 4, generator=generator))

    def loss(self, model, batch):
        if self.taken == self.fail_at:
            raise KeyboardInterrupt
        self.taken += 1
        self.order.append(float(batch.sum()))
        return (model(batch) - 2 * batch.sum(dim=1, keepdim=True)).square().mean()

    def validate(self, model):
        if self.figures is not None:
            return self.figures.pop(0)
        batch = torch.ones(1, 4)
        return float((model(batch) - 8).square())


def model(width=8):
    with torch.random.fork_rng():
        torch.manual_seed(5)
        return torch.nn.Sequential(torch.nn.Linear(4, width), torch.nn.Dropout(0.5), torch.nn.Linear(width, 1))


def weights(trained):
    return torch.cat([p.detach().flatten() for p in trained.parameters()])
