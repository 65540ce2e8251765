class Program_weight_tensor_meta_in_0:
	name = "in_0"
	shape = [128]
	dtype = "torch.bfloat16"
	device = "cuda:0"
	mean = 1.0
	std = 0.5
	data = None

class Program_weight_tensor_meta_in_1:
	name = "in_1"
	shape = [1, 33, 128]
	dtype = "torch.bfloat16"
	device = "cuda:0"
	mean = 0.0
	std = 5.0
	data = None
