class Program_weight_tensor_meta_in_0:
	name = "in_0"
	shape = [1, 16, 384]
	dtype = "torch.float32"
	device = "cuda:0"
	mean = 0.0
	std = 4.0
	data = None

class Program_weight_tensor_meta_in_1:
	name = "in_1"
	shape = [1, 16, 1]
	dtype = "torch.float32"
	device = "cuda:0"
	mean = 0.7
	std = 0.46
	data = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
