class Program_weight_tensor_meta_in_0:
	name = "in_0"
	shape = [10]
	dtype = "torch.float32"
	device = "cuda:0"
	mean = 0.0
	std = 0.5
	data = None

class Program_weight_tensor_meta_in_1:
	name = "in_1"
	shape = [10, 40, 1, 1]
	dtype = "torch.float32"
	device = "cuda:0"
	mean = 0.0
	std = 1.0
	data = None

class Program_weight_tensor_meta_in_2:
	name = "in_2"
	shape = [40]
	dtype = "torch.float32"
	device = "cuda:0"
	mean = 0.0
	std = 0.5
	data = None

class Program_weight_tensor_meta_in_3:
	name = "in_3"
	shape = [40, 10, 1, 1]
	dtype = "torch.float32"
	device = "cuda:0"
	mean = 0.0
	std = 1.0
	data = None

class Program_weight_tensor_meta_in_4:
	name = "in_4"
	shape = [1, 40, 7, 7]
	dtype = "torch.float32"
	device = "cuda:0"
	mean = 0.4
	std = 5.0
	data = None
