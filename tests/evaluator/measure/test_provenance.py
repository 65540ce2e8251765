from evaluator.measure.provenance import fused_in

CODE = """
# Topologically Sorted Source Nodes: [tmp_2], Original ATen: [aten.sum]
# Source node to ATen node mapping:
#   tmp_2 => sum_2
triton_per_fused_sum_0 = async_compile.triton("triton_per_fused_sum_0", "...")
# Topologically Sorted Source Nodes: [tmp_0, tmp_1, tmp_4], Original ATen: [aten.mul, aten.sum, aten.div]
# Source node to ATen node mapping:
#   tmp_0 => mul
triton_red_fused_div_mul_sum_1 = async_compile.triton("triton_red_fused_div_mul_sum_1", "...")
def prepared(args):
    triton_per_fused_sum_0.run(arg1_1, buf1, 4, 128, stream=stream0)
def call(args):
    # Topologically Sorted Source Nodes: [tmp_2], Original ATen: [aten.sum]
    stream0 = get_raw_stream(0)
    triton_per_fused_sum_0.run(arg1_1, buf1, 4, 128, stream=stream0)
    # Topologically Sorted Source Nodes: [tmp_0, tmp_1, tmp_4], Original ATen: [aten.mul, aten.sum, aten.div]
    triton_red_fused_div_mul_sum_1.run(buf2, arg0_1, arg1_1, buf1, 1536, 128, stream=stream0)
    # Topologically Sorted Source Nodes: [tmp_5], Original ATen: [aten.sum]
    triton_per_fused_sum_0.run(buf2, buf3, 4, 128, stream=stream0)
"""


def test_a_kernel_stands_for_the_nodes_that_are_named_above_its_launches():
    assert fused_in(CODE) == {
        "triton_per_fused_sum_0": ("tmp_2", "tmp_5"),
        "triton_red_fused_div_mul_sum_1": ("tmp_0", "tmp_1", "tmp_4"),
    }
