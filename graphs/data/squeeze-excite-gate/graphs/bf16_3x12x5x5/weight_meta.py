class Program_weight_tensor_meta_in_0:
	name = "in_0"
	shape = [3]
	dtype = "torch.bfloat16"
	device = "cuda:0"
	mean = 0.0
	std = 0.5
	data = None

class Program_weight_tensor_meta_in_1:
	name = "in_1"
	shape = [3, 12, 1, 1]
	dtype = "torch.bfloat16"
	device = "cuda:0"
	mean = 0.0
	std = 1.0
	data = None

class Program_weight_tensor_meta_in_2:
	name = "in_2"
	shape = [12]
	dtype = "torch.bfloat16"
	device = "cuda:0"
	mean = 0.0
	std = 0.5
	data = None

class Program_weight_tensor_meta_in_3:
	name = "in_3"
	shape = [12, 3, 1, 1]
	dtype = "torch.bfloat16"
	device = "cuda:0"
	mean = 0.0
	std = 1.0
	data = None

class Program_weight_tensor_meta_in_4:
	name = "in_4"
	shape = [3, 12, 5, 5]
	dtype = "torch.bfloat16"
	device = "cuda:0"
	mean = 0.4
	std = 5.0
	data = None
