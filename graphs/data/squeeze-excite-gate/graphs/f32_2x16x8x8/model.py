import torch


class GraphModule(torch.nn.Module):
    def forward(self, in_0, in_1, in_2, in_3, in_4):
        tmp_0 = in_4.mean((2, 3), keepdim=True)
        tmp_1 = torch.conv2d(tmp_0, in_1, in_0, (1, 1), (0, 0), (1, 1), 1);  tmp_0 = in_1 = in_0 = None
        tmp_2 = torch.nn.functional.relu(tmp_1, inplace=True);  tmp_1 = None
        tmp_3 = torch.conv2d(tmp_2, in_3, in_2, (1, 1), (0, 0), (1, 1), 1);  tmp_2 = in_3 = in_2 = None
        tmp_4 = torch.sigmoid(tmp_3);  tmp_3 = None
        tmp_5 = in_4 * tmp_4;  in_4 = tmp_4 = None
        return (tmp_5,)
