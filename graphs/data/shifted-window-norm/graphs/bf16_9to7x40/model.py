import torch


class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1, in_2, in_3):
        tmp_0 = in_3.contiguous();  in_3 = None
        tmp_1 = tmp_0.view(-1, 9, 9, 40);  tmp_0 = None
        tmp_2 = torch.roll(tmp_1, shifts=(1, 1), dims=(1, 2));  tmp_1 = None
        tmp_3 = tmp_2[(slice(None, None, None), slice(None, 7, None), slice(None, 7, None), slice(None, None, None))];  tmp_2 = None
        tmp_4 = tmp_3.contiguous();  tmp_3 = None
        tmp_5 = tmp_4.view(1, 49, 40);  tmp_4 = None
        tmp_6 = in_2 + tmp_5;  in_2 = tmp_5 = None
        tmp_7 = torch.nn.functional.layer_norm(tmp_6, (40,), in_1, in_0, 1e-05);  in_1 = in_0 = None
        return (tmp_6, tmp_7)
