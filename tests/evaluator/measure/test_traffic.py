"""Bytes and operations against hand counts."""

import torch
from torch.fx import symbolic_trace

from evaluator.measure.traffic import traffic


def test_masked_mean_pooling_reads_both_inputs_and_writes_the_means() -> None:
    def forward(x, m):
        return torch.sum(x * m, 1) / torch.clamp(m.sum(1), min=1e-9)

    work = traffic(symbolic_trace(forward), [torch.empty(4, 128, 384), torch.empty(4, 128, 1)])
    assert work.bytes_read == 4 * (4 * 128 * 384 + 4 * 128)
    assert work.bytes_written == 4 * (4 * 384)
    assert work.matmul_operations == 0
    # mul 4·128·384, sum 4·384, mask sum 4, clamp 4, div 4·384
    assert work.other_operations == 4 * 128 * 384 + 4 * 384 + 4 + 4 + 4 * 384


def test_an_embedding_reads_only_the_rows_it_returns() -> None:
    def forward(ids, table):
        return torch.nn.functional.embedding(ids, table)

    work = traffic(symbolic_trace(forward), [torch.zeros(2, 6, dtype=torch.int64), torch.empty(50_000, 32)])
    assert work.bytes_read == 8 * 12 + 4 * 12 * 32
    assert work.bytes_written == 4 * 12 * 32


def test_a_slice_behind_a_roll_reads_only_what_is_kept() -> None:
    def forward(x, r):
        return r + torch.roll(x, (3, 3), (1, 2))[:, :12, :12, :].contiguous().view(1, 144, 32)

    work = traffic(symbolic_trace(forward), [torch.empty(1, 14, 14, 32), torch.empty(1, 144, 32)])
    assert work.bytes_read == 4 * (12 * 12 * 32 + 144 * 32)


def test_an_expanded_input_is_read_once() -> None:
    base = torch.empty(8, 1).expand(8, 100)
    work = traffic(symbolic_trace(lambda x: x + 1), [base])
    assert work.bytes_read == 4 * 8
    assert work.bytes_written == 4 * 800


def test_a_view_of_an_input_costs_no_write() -> None:
    work = traffic(symbolic_trace(lambda x: x.transpose(0, 1)), [torch.empty(8, 4)])
    assert work.bytes_written == 0


def test_matrix_products_count_two_operations_a_multiply_add() -> None:
    work = traffic(symbolic_trace(lambda a, b: a @ b), [torch.empty(8, 16), torch.empty(16, 4)])
    assert work.matmul_operations == 2 * 8 * 16 * 4


def test_both_halves_of_a_split_are_read() -> None:
    def forward(x):
        a, b = x.chunk(2, -1)[0], x.chunk(2, -1)[1]
        return a * b

    assert traffic(symbolic_trace(forward), [torch.empty(4, 8)]).bytes_read == 4 * 32
