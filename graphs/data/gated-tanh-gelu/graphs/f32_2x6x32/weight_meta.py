class Program_weight_tensor_meta_in_0:
	name = "in_0"
	shape = [2, 6, 32]
	dtype = "torch.float32"
	device = "cuda:0"
	mean = 0.3
	std = 4.0
	data = None

class Program_weight_tensor_meta_in_1:
	name = "in_1"
	shape = [2, 6, 32]
	dtype = "torch.float32"
	device = "cuda:0"
	mean = 1.0
	std = 1.0
	data = None
