"""Training repeats itself, and leaves no trace."""

import pytest
import torch

from biascheck.core.identity import fingerprint_of_pair
from biascheck.reference.training import Training, train_standard
from biascheck.reference.world import World

SHORT = Training(steps=4, warm_up=1)


def digest(dose: float, seed: int) -> str:
    return fingerprint_of_pair(*train_standard(World(dose), seed=seed, training=SHORT)).digest


def test_the_same_seed_gives_the_same_weights_and_another_seed_or_dose_does_not():
    first = digest(0.5, 1)
    assert digest(0.5, 1) == first
    assert digest(0.5, 2) != first
    assert digest(0.6, 1) != first


def test_the_random_state_and_the_threads_are_left_alone():
    torch.manual_seed(1)
    expected, threads = torch.rand(3), torch.get_num_threads()
    torch.manual_seed(1)
    train_standard(World(0.0), training=SHORT)
    assert torch.equal(torch.rand(3), expected)
    assert torch.get_num_threads() == threads


@pytest.mark.slow
def test_a_dose_trained_now_has_the_gaps_that_were_planted():
    import biascheck
    from biascheck.measures.gaps import means_of_attributes

    model = biascheck.load(train_standard(World(0.4)), name="dose 0.4")
    truth = World(0.4).truth()
    gaps = means_of_attributes(biascheck.measures.association(model, biascheck.corpora.bec_pro()).items)
    assert max(abs(item.score - truth[item.id]) for item in gaps) < 0.25
