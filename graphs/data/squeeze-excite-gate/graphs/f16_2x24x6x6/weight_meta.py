class Program_weight_tensor_meta_in_0:
	name = "in_0"
	shape = [6]
	dtype = "torch.float16"
	device = "cuda:0"
	mean = 0.0
	std = 0.5
	data = None

class Program_weight_tensor_meta_in_1:
	name = "in_1"
	shape = [6, 24, 1, 1]
	dtype = "torch.float16"
	device = "cuda:0"
	mean = 0.0
	std = 1.0
	data = None

class Program_weight_tensor_meta_in_2:
	name = "in_2"
	shape = [24]
	dtype = "torch.float16"
	device = "cuda:0"
	mean = 0.0
	std = 0.5
	data = None

class Program_weight_tensor_meta_in_3:
	name = "in_3"
	shape = [24, 6, 1, 1]
	dtype = "torch.float16"
	device = "cuda:0"
	mean = 0.0
	std = 1.0
	data = None

class Program_weight_tensor_meta_in_4:
	name = "in_4"
	shape = [2, 24, 6, 6]
	dtype = "torch.float16"
	device = "cuda:0"
	mean = 0.4
	std = 5.0
	data = None
