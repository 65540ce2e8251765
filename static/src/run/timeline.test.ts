import { expect, test } from "vitest";
import { kernel, profiled } from "../__fixtures__/speed";
import { lanes, shortKernel } from "./timeline";

test("kernels lie end to end, one segment a launch", () => {
  const eager = profiled("eager", [kernel("roll", { count: 2, duration: 3 }), kernel("add", { duration: 2 })]);
  const candidate = profiled("candidate", [kernel("fused", { duration: 4 }), kernel("add", { duration: 2 })]);
  const [first, last] = lanes({ profiles: { candidate, eager } });
  expect(first!.segments.map(({ short, start, duration }) => [short, start, duration])).toEqual([["roll", 0, 3], ["roll", 3, 3], ["add", 6, 2]]);
  expect(first!.total).toBe(8);
  expect(last!.segments.map(({ short, known }) => [short, known])).toEqual([["fused", false], ["add", true]]);
});

test("many launches of one kernel are one segment", () => {
  const [lane] = lanes({ profiles: { eager: profiled("eager", [kernel("copy", { count: 500, duration: 2 })]) } });
  expect(lane!.segments).toHaveLength(1);
  expect(lane!.segments[0]).toMatchObject({ count: 500, duration: 1000 });
});

test("long names of torch's kernels are cut to what tells them apart", () => {
  const mul = "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&)::{lambda(int)#1}>(int)";
  const sum = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, float, 4, 4> >(int)";
  const clamp = "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar)::{lambda()#1}>(int)";
  const norm = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float, false>(int, float)";
  expect([mul, sum, clamp, norm, "triton_per_fused_sum_0"].map(shortKernel)).toEqual([
    "elementwise_kernel MulFunctor", "reduce_kernel sum_functor", "vectorized_elementwise_kernel clamp_scalar", "vectorized_layer_norm_kernel", "triton_per_fused_sum_0",
  ]);
});
