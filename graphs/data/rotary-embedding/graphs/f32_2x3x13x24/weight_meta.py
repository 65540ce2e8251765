class Program_weight_tensor_meta_in_0:
	name = "in_0"
	shape = [2, 3, 13, 24]
	dtype = "torch.float32"
	device = "cuda:0"
	mean = 0.0
	std = 5.0
	data = None

class Program_weight_tensor_meta_in_1:
	name = "in_1"
	shape = [2, 1, 13, 24]
	dtype = "torch.float32"
	device = "cuda:0"
	mean = 0.0
	std = 5.0
	data = None

class Program_weight_tensor_meta_in_2:
	name = "in_2"
	shape = [2, 1, 13, 24]
	dtype = "torch.float32"
	device = "cuda:0"
	mean = 0.0
	std = 3.5
	data = None
	min_val = -1.0
	max_val = 1.0

class Program_weight_tensor_meta_in_3:
	name = "in_3"
	shape = [2, 1, 13, 24]
	dtype = "torch.float32"
	device = "cuda:0"
	mean = 0.0
	std = 3.5
	data = None
	min_val = -1.0
	max_val = 1.0
