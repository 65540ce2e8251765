import torch


class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1, in_2, in_3):
        tmp_0 = torch.nn.functional.dropout(in_2, 0.1, False, False);  in_2 = None
        tmp_1 = tmp_0 + in_3;  tmp_0 = in_3 = None
        tmp_2 = torch.nn.functional.layer_norm(tmp_1, (80,), in_1, in_0, 1e-12);  tmp_1 = in_1 = in_0 = None
        return (tmp_2,)
