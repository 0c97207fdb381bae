import json
from dataclasses import replace

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import nn
from torch.optim.optimizer import register_optimizer_step_pre_hook

from rhetree.domain.tree import Split, Tree
from rhetree.errors import ModelError, RhetreeError, TrainingError
from rhetree.learning.targets import SentenceExample
from rhetree.learning.training.averaging import WeightAverage
from rhetree.learning.training.checkpoint import FILE, Position, Trainee, load_checkpoint, save_checkpoint
from rhetree.learning.training.loop import Evaluated, Step, TrainConfig, train
from rhetree.learning.training.optimisation import OptimizerConfig, make_optimizer

PAIR = Tree((Split(0, 1, 2, "NS", "elaboration"),))
EXAMPLES = [SentenceExample(("a",) * n, (1, n - 1), PAIR) for n in range(2, 14)]


class Toy(nn.Module):
    """Learns the mean length of its examples; dropout makes it need torch's random state."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.layer = nn.Sequential(nn.Dropout(0.5), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))

    def forward(self, examples):
        inputs = torch.ones(len(examples), 4)
        lengths = torch.tensor([[float(len(example.tokens))] for example in examples])
        return {"length": ((self.layer(inputs) - lengths) ** 2).mean()}


OPTIMIZER = OptimizerConfig(learning_rate=0.05, schedule="linear")


def fit(
    folder,
    *,
    stop_at=None,
    resume=False,
    scores=None,
    network=None,
    evaluate=None,
    optimizer=OPTIMIZER,
    depths=None,
    **settings,
):
    """Train a toy; returns its network and what happened. ``stop_at`` is a kill after that step."""
    network = network or Toy()
    settings = {"epochs": 3, "batch_size": 3, "checkpoint_steps": 5} | settings
    kept = []
    scores = iter(scores or range(1, 100))
    events = []
    run = train(
        network,
        EXAMPLES,
        train=TrainConfig(**settings),
        optimizer=optimizer,
        select="full",
        evaluate=evaluate or (lambda: {"full": float(next(scores))}),
        keep=lambda found: kept.append(dict(found)),
        folder=folder,
        depths=depths,
        settings={"network.task": "joint"},
        resume=resume,
    )
    for event in run:
        events.append(event)
        if isinstance(event, Step) and event.step == stop_at:
            break
    return network, events, kept


def trainee(network, average=0.0):
    return Trainee(network, make_optimizer(network, {}, OptimizerConfig()), WeightAverage(network, average))


def weights(network):
    return {name: value.tolist() for name, value in network.state_dict().items()}


@pytest.fixture
def updates():
    """For each step of an optimiser, the rates of its groups and the length of the whole gradient."""
    seen = []

    def look(optimizer, _args, _kwargs):
        groups = optimizer.param_groups
        gradients = [weight.grad.flatten() for group in groups for weight in group["params"]]
        seen.append(([group["lr"] for group in groups], torch.cat(gradients).norm().item()))

    handle = register_optimizer_step_pre_hook(look)
    yield seen
    handle.remove()


def test_the_same_seed_gives_the_same_weights_bit_for_bit(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "c").mkdir()
    first, second, other = fit(tmp_path / "a"), fit(tmp_path / "b"), fit(tmp_path / "c", seed=2)
    assert weights(first[0]) == weights(second[0])
    assert weights(first[0]) != weights(other[0])


@pytest.mark.parametrize("average", [0.0, 0.9])
@pytest.mark.parametrize("stop_at", [1, 5, 7, 9, 12])
def test_a_resumed_run_ends_in_the_weights_of_an_unbroken_one(tmp_path, stop_at, average):
    (tmp_path / "whole").mkdir()
    (tmp_path / "broken").mkdir()
    whole, _, _ = fit(tmp_path / "whole", average=average)
    fit(tmp_path / "broken", stop_at=stop_at, average=average)
    torch.manual_seed(99)  # a new process has another random state
    resumed, events, _ = fit(tmp_path / "broken", resume=True, average=average)
    assert weights(resumed) == weights(whole)
    tensors = [load_file(tmp_path / name / FILE) for name in ("whole", "broken")]
    assert all(torch.equal(tensors[0][name], tensors[1][name]) for name in tensors[0])
    assert events[-1].epoch == 3


def test_a_run_that_is_over_does_nothing_when_resumed(tmp_path):
    fit(tmp_path)
    _, events, _ = fit(tmp_path, resume=True)
    assert events == []


def test_training_yields_steps_and_evaluations(tmp_path):
    _, events, kept = fit(tmp_path, epochs=2)
    steps = [event for event in events if isinstance(event, Step)]
    assert [step.step for step in steps] == list(range(1, 9))
    assert {step.n_steps for step in steps} == {8}
    assert sum(step.n_sentences for step in steps) == 2 * len(EXAMPLES)
    assert [event.epoch for event in events if isinstance(event, Evaluated)] == [1, 2]
    assert kept == [{"full": 1.0}, {"full": 2.0}]


def test_only_a_better_score_is_kept_and_patience_runs_out(tmp_path):
    _, events, kept = fit(tmp_path, epochs=10, patience=2, scores=[5, 7, 7, 6, 9])
    assert kept == [{"full": 5.0}, {"full": 7.0}]
    assert [event.is_best for event in events if isinstance(event, Evaluated)] == [True, True, False, False]


def test_the_score_that_chooses_is_the_one_named(tmp_path):
    # Neither the first score nor the last: full is best after the third epoch.
    rows = iter([(9, 4, 1), (8, 3, 2), (7, 5, 3), (6, 2, 4)])
    _, events, kept = fit(
        tmp_path,
        epochs=4,
        evaluate=lambda: dict(zip(("segmentation", "full", "gold-full"), next(rows), strict=True)),
    )
    assert [found["full"] for found in kept] == [4, 5]
    evaluated = [event for event in events if isinstance(event, Evaluated)]
    assert [event.epoch for event in evaluated if event.is_best] == [1, 3]


def test_every_step_has_its_rate_on_the_schedule(tmp_path, updates):
    config = OptimizerConfig(learning_rate=0.6, pretrained_rate=0.06, schedule="linear", warmup=0.25)
    fit(tmp_path, epochs=2, optimizer=config, depths={"layer.1.weight": 0, "layer.1.bias": 0})
    # Two of the eight steps warm up; the pretrained layer comes first, as it does in the network.
    expected = [0.2, 0.4, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    assert [rates for rates, _ in updates] == [pytest.approx([rate / 10, rate]) for rate in expected]


def test_a_gradient_is_as_long_as_clip_norm_at_most(tmp_path, updates):
    class Huge(Toy):
        def forward(self, examples):
            return {name: 1e6 * loss for name, loss in super().forward(examples).items()}

    fit(tmp_path, network=Huge(), epochs=1, optimizer=replace(OPTIMIZER, clip_norm=0.5))
    assert [norm for _, norm in updates] == pytest.approx([0.5] * 4)


def test_a_gradient_shorter_than_clip_norm_stays_as_it_is(tmp_path, updates):
    fit(tmp_path, epochs=1, stop_at=1, optimizer=replace(OPTIMIZER, clip_norm=1e9))
    fit(tmp_path, epochs=1, stop_at=1, optimizer=replace(OPTIMIZER, clip_norm=1e3))
    assert updates[0] == updates[1]
    assert updates[0][1] > 1


def test_a_nan_loss_stops_and_names_the_last_good_state(tmp_path):
    network = Toy()
    fit(tmp_path, network=network, epochs=1)
    before = (tmp_path / FILE).read_bytes()
    with torch.no_grad():
        network.get_parameter("layer.1.weight").fill_(float("nan"))
    with pytest.raises(TrainingError, match=f"step 1 of epoch 1 .*last good state is in {tmp_path}"):
        fit(tmp_path, network=network)
    assert (tmp_path / FILE).read_bytes() == before


def test_a_nan_gradient_stops_before_it_ruins_the_weights(tmp_path):
    class Steep(Toy):
        """Its loss is always a number, its fifth gradient is not: a root at 0 rises without end."""

        n_calls = 0

        def forward(self, examples):
            self.n_calls += 1
            losses = super().forward(examples)
            weight = self.get_parameter("layer.3.weight")
            steep = (weight - weight.detach()).abs().sum().sqrt()
            return losses | ({"steep": steep} if self.n_calls == 5 else {})

    network = Steep()
    with pytest.raises(TrainingError, match=r"step 5 of epoch 2 \(length .*, steep 0, gradient nan\)"):
        fit(tmp_path, network=network)
    assert all(weight.isfinite().all() for weight in network.parameters())
    assert all(tensor.isfinite().all() for tensor in load_file(tmp_path / FILE).values())


def test_a_checkpoint_waits_until_another_batch_has_shown_its_weights_to_be_good(tmp_path):
    class Brittle(Toy):
        """Its sixth step leaves weights that are numbers, and of which no loss can be computed."""

        n_calls = 0

        def forward(self, examples):
            self.n_calls += 1
            if self.n_calls == 7:
                with torch.no_grad():
                    self.get_parameter("layer.3.weight").fill_(1e38)
            return super().forward(examples)

    with pytest.raises(TrainingError, match=f"step 7 of epoch 2 .*last good state is in {tmp_path}"):
        fit(tmp_path, network=Brittle(), checkpoint_steps=2)
    network = Toy()
    assert load_checkpoint(tmp_path, trainee(network), {"network.task": "joint"}).step == 4
    assert all(weight.abs().max() < 100 for weight in network.parameters())


def test_weights_that_cannot_be_evaluated_stop_the_run_and_are_not_kept(tmp_path):
    def evaluate():
        raise ModelError("its probabilities are not finite numbers")

    fit(tmp_path, epochs=1)
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(
        TrainingError, match=f"no scores after epoch 2: its prob.*good state is in {tmp_path}"
    ):
        fit(tmp_path, resume=True, evaluate=evaluate, checkpoint_steps=100)
    assert (tmp_path / FILE).read_bytes() == before


def test_a_checkpoint_of_other_settings_is_refused(tmp_path):
    save_checkpoint(
        tmp_path, trainee(Toy()), Position(settings={"network.task": "parse"}), torch.get_rng_state()
    )
    with pytest.raises(ModelError, match="this run has network.task = 'parse', not 'joint'"):
        fit(tmp_path, resume=True)


def test_a_checkpoint_that_is_cut_off_is_refused(tmp_path):
    fit(tmp_path, epochs=1)
    path = tmp_path / FILE
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ModelError, match="not a checkpoint, or truncated"):
        fit(tmp_path, resume=True)


def test_a_full_disk_leaves_the_checkpoint_that_was_there(tmp_path, monkeypatch):
    fit(tmp_path, epochs=1)
    path = tmp_path / FILE
    before = path.read_bytes()

    def write_half(tensors, file, metadata):
        save_file(tensors, file, metadata=metadata)
        file.write_bytes(file.read_bytes()[:1000])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rhetree.learning.training.checkpoint.save_file", write_half)
    with pytest.raises(RhetreeError, match=f"{path}: cannot write the checkpoint: .*No space left on device"):
        fit(tmp_path, epochs=2, resume=True)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    _, events, _ = fit(tmp_path, epochs=2, resume=True)
    assert events[-1].epoch == 2


def test_a_checkpoint_of_another_version_is_refused(tmp_path):
    save_file({"random": torch.zeros(1)}, tmp_path / FILE, metadata={"position": "{}"})
    with pytest.raises(ModelError, match="made by another version of Rhetree; start a new run"):
        fit(tmp_path, resume=True)


def test_a_checkpoint_of_another_network_is_refused(tmp_path):
    save_checkpoint(tmp_path, trainee(nn.Linear(2, 2)), Position(), torch.get_rng_state())
    with pytest.raises(ModelError, match="belongs to another network"):
        load_checkpoint(tmp_path, trainee(Toy()), {})


def test_the_optimizers_state_stays_with_its_weights_under_other_settings(tmp_path):
    before = trainee(Toy())
    before.network(EXAMPLES)["length"].backward()
    before.optimizer.step()
    save_checkpoint(tmp_path, before, Position(), torch.get_rng_state())
    network = Toy()
    config = OptimizerConfig(kind="adamw", weight_decay=0.01)  # which puts weights before biases
    after = Trainee(network, make_optimizer(network, {}, config), WeightAverage(network, 0.0))
    load_checkpoint(tmp_path, after, {})
    for old, new in zip(before.network.parameters(), network.parameters(), strict=True):
        assert torch.equal(before.optimizer.state[old]["exp_avg"], after.optimizer.state[new]["exp_avg"])
    assert {group["weight_decay"] for group in after.optimizer.param_groups} == {0.0, 0.01}


def test_a_checkpoint_whose_optimizer_does_not_fit_is_refused(tmp_path):
    fit(tmp_path, epochs=1)
    with safe_open(tmp_path / FILE, framework="pt") as source:
        about = source.metadata()
    tensors = load_file(tmp_path / FILE)
    tensors["optimizer/layer.1.weight/exp_avg"] = torch.zeros(4)
    save_file(tensors, tmp_path / FILE, metadata=about)
    with pytest.raises(ModelError, match="belongs to another network"):
        fit(tmp_path, resume=True)


def test_a_checkpoint_without_the_average_that_is_wanted_is_refused(tmp_path):
    save_checkpoint(tmp_path, trainee(Toy()), Position(), torch.get_rng_state())
    with pytest.raises(ModelError, match="belongs to another network"):
        load_checkpoint(tmp_path, trainee(Toy(), average=0.9), {})


def test_the_average_is_evaluated_and_kept_while_the_weights_go_on(tmp_path):
    network = Toy()
    seen = []

    def evaluate():
        seen.append(weights(network))
        return {"full": len(seen)}

    run = train(
        network,
        EXAMPLES,
        train=TrainConfig(epochs=2, batch_size=3, average=0.9),
        optimizer=OptimizerConfig(learning_rate=0.05),
        select="full",
        evaluate=evaluate,
        keep=lambda _: seen.append(weights(network)),
        folder=tmp_path,
    )
    after_epochs = [weights(network) for event in run if isinstance(event, Evaluated)]
    assert seen[0] == seen[1]
    assert seen[2] == seen[3]
    assert seen[0] != after_epochs[0]


def test_an_average_moves_towards_the_weights():
    network = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        network.weight.fill_(0.0)
        average = WeightAverage(network, 0.5)
        for step, expected in ((1, 0.9), (2, 0.9 + 0.1 * (1 - 2 / 11))):
            network.weight.fill_(1.0)
            average.update(step)
            assert average.state()["weight"].item() == pytest.approx(expected)


def test_layers_of_a_pretrained_encoder_learn_more_slowly_further_down():
    network = Toy()
    depths = {"layer.1.weight": 2, "layer.1.bias": 2, "layer.3.weight": 0}
    config = OptimizerConfig(learning_rate=1.0, pretrained_rate=0.1, layer_decay=0.5, weight_decay=0.01)
    groups = make_optimizer(network, depths, config).param_groups
    rates = {(group["peak"], group["weight_decay"]) for group in groups}
    assert rates == {(0.025, 0.01), (0.025, 0.0), (0.1, 0.01), (1.0, 0.0)}


@pytest.mark.parametrize("kind", ["adam", "adamw"])
def test_weight_decay_is_part_of_adams_gradient_and_apart_from_adamws(kind):
    network = nn.Linear(2, 1)
    rate, decay = 0.1, 0.01
    config = OptimizerConfig(kind=kind, learning_rate=rate, weight_decay=decay)
    with torch.no_grad():
        network.weight.copy_(torch.tensor([[4.0, -2.0]]))
        network.bias.fill_(3.0)
    for parameter in network.parameters():
        parameter.grad = torch.zeros_like(parameter)
    make_optimizer(network, {}, config).step()
    # Adam sees the gradient decay * w, and its first step is the whole rate, however short the gradient is.
    expected = {"adam": [4 - rate, -2 + rate], "adamw": [4 * (1 - rate * decay), -2 * (1 - rate * decay)]}
    assert network.weight.tolist() == [pytest.approx(expected[kind], rel=1e-5)]
    assert network.bias.item() == 3.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"threads": 2000}, "threads must be between 0 and 1024"),
    ],
)
def test_a_wrong_setting_of_training_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        replace(TrainConfig(), **change)


def test_a_position_goes_to_json_and_back():
    position = Position(epoch=3, best=1.5, data="abc")
    from dataclasses import asdict

    assert Position(**json.loads(json.dumps(asdict(position)))) == position
