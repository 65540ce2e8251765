import torch


class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1, in_2, in_3):
        tmp_0 = torch.roll(in_3, shifts=(3, 3), dims=(1, 2));  in_3 = None
        tmp_1 = tmp_0[(slice(None, None, None), slice(None, 64, None), slice(None, 64, None), slice(None, None, None))];  tmp_0 = None
        tmp_2 = tmp_1.contiguous();  tmp_1 = None
        tmp_3 = tmp_2.view(1, 4096, 192);  tmp_2 = None
        tmp_4 = in_2 + tmp_3;  in_2 = tmp_3 = None
        tmp_5 = torch.nn.functional.layer_norm(tmp_4, (192,), in_1, in_0, 1e-05);  in_1 = in_0 = None
        return (tmp_4, tmp_5)
