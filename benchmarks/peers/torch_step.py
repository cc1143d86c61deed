"""The step in PyTorch: eager, eager with the fused Adam, and compiled.

Eq. 3 is written factored, g_support(s) + g_pi(pi), which is faster here than concatenating K copies of s.
Gumbel noise is -log(-log(rand)), which is faster here than `exponential_`. The compiled variant compiles
model and loss (autograd compiles their backward pass) and keeps the fused Adam, which is faster here than
compiling the optimizer too.
"""

import torch
from torch import nn
from torch.nn import functional

from benchmarks.peers import problem
from benchmarks.peers.problem import Peer, Size


class Model(nn.Module):
    """Eq. 1 to eq. 4 for one episode."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        drawn = {name: torch.tensor(value) for name, value in problem.weights(size).items()}

        def dense(kernel: str, bias: str | None) -> nn.Linear:
            inputs, outputs = drawn[kernel].shape
            layer = nn.Linear(inputs, outputs, bias=bias is not None)
            layer.weight.data = drawn[kernel].T.contiguous()
            if bias is not None:
                layer.bias.data = drawn[bias]
            return layer

        self.f, self.code_f = dense("f", "f_bias"), dense("code_f", "code_f_bias")
        self.g_support, self.g_pi = dense("g_support", None), dense("g_pi", "g_bias")
        self.code_g = dense("code_g", "code_g_bias")
        self.pi = nn.Parameter(drawn["pi"])
        layers = [dense(f"h{index}", f"h{index}_bias") for index in range(len(size.hidden) + 1)]
        hidden = [module for layer in layers[:-1] for module in (layer, nn.ReLU())]
        self.decoder = nn.Sequential(*hidden, layers[-1], nn.Sigmoid())

    def forward(
        self, support: torch.Tensor, query: torch.Tensor, noise: torch.Tensor, tau: torch.Tensor
    ) -> torch.Tensor:
        """Compute the loss of eq. 5."""
        pooled = functional.relu(self.f(support)).sum(0)
        log_alpha = self.g_support(pooled) + self.g_pi(self.pi)
        selected = query @ functional.softmax((log_alpha + noise) / tau, dim=-1).T
        code = self.code_g(functional.relu(self.code_f(support)).sum(0))
        reconstruction = self.decoder(torch.cat([selected, code.expand(len(query), -1)], dim=1))
        return (query - reconstruction).square().sum(-1).mean()


def make(size: Size, variant: str) -> Peer:
    """Build the model and its step; `variant` is `eager`, `eager_fused` or `compile`."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Model(size)
    optimizer = torch.optim.Adam(
        model.parameters(),
        lr=problem.LEARNING_RATE,
        betas=(problem.BETA_1, problem.BETA_2),
        eps=problem.EPSILON,
        fused=variant != "eager",
    )
    loss_of = torch.compile(model) if variant == "compile" else model
    data = torch.tensor(problem.rows(size))
    drawn = size.support + size.query
    done = 0

    def step(support: torch.Tensor, query: torch.Tensor, noise: torch.Tensor, tau: float) -> torch.Tensor:
        optimizer.zero_grad()
        loss = loss_of(support, query, noise, torch.tensor(tau))
        loss.backward()
        optimizer.step()
        return loss.detach()

    def run() -> None:
        nonlocal done
        for _ in range(size.chunk):
            task = torch.randint(problem.TASKS, ())
            rows = data[task, torch.randperm(problem.ROWS_A_TASK)[:drawn]]
            noise = -torch.log(-torch.log(torch.rand(size.selected, size.features)))
            step(rows[: size.support], rows[size.support :], noise, problem.temperature(done))
            done += 1

    def losses(steps: int) -> list[float]:
        episode = [torch.tensor(part) for part in problem.fixed_episode(size)]
        return [float(step(*episode, problem.CHECK_TEMPERATURE)) for _ in range(steps)]

    return Peer(size.chunk, run, losses)
