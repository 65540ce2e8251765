"""Diffusion models of the `diffusers` library with small configurations and random weights, each with one call of it.

For `python -m dataset capture scripts/diffusion_models.py:unet_text`; `scripts/models_by_family.txt` lists them all.
"""

import importlib
from typing import Any

import torch
from torch import randn

Call = tuple[torch.nn.Module, dict[str, Any]]

_STEP = torch.tensor([500])
_TEXT = 16  # tokens of the text that steers


def unet_plain() -> Call:
    """DDPM: residual blocks and attention at the lowest resolution."""
    model = _made(
        "UNet2DModel",
        sample_size=32,
        block_out_channels=(64, 128),
        layers_per_block=1,
        down_block_types=("DownBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "UpBlock2D"),
    )
    return model, {"sample": randn(1, 3, 32, 32), "timestep": _STEP}


def unet_scale_shift() -> Call:
    """Time as scale and shift, up and down by residual blocks, learned classes."""
    model = _made(
        "UNet2DModel",
        sample_size=32,
        block_out_channels=(64, 128),
        layers_per_block=1,
        down_block_types=("ResnetDownsampleBlock2D", "AttnDownBlock2D"),
        up_block_types=("AttnUpBlock2D", "ResnetUpsampleBlock2D"),
        resnet_time_scale_shift="scale_shift",
        num_class_embeds=10,
    )
    return model, {"sample": randn(1, 3, 32, 32), "timestep": _STEP, "class_labels": torch.tensor([3])}


def unet_text() -> Call:
    """Stable Diffusion's: a transformer with cross-attention in each block."""
    model = _made(
        "UNet2DConditionModel",
        sample_size=32,
        block_out_channels=(64, 128),
        layers_per_block=1,
        cross_attention_dim=128,
        attention_head_dim=8,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
    )
    inputs = {"sample": randn(1, 4, 32, 32), "timestep": _STEP, "encoder_hidden_states": randn(1, _TEXT, 128)}
    return model, inputs


def unet_video() -> Call:
    """Text to video: convolutions and attention over time between those over space."""
    model = _made(
        "UNet3DConditionModel",
        sample_size=16,
        block_out_channels=(32, 64),
        layers_per_block=1,
        norm_num_groups=8,
        cross_attention_dim=64,
        attention_head_dim=16,
        down_block_types=("CrossAttnDownBlock3D", "DownBlock3D"),
        up_block_types=("UpBlock3D", "CrossAttnUpBlock3D"),
    )
    inputs = {"sample": randn(1, 4, 4, 16, 16), "timestep": _STEP, "encoder_hidden_states": randn(1, _TEXT, 64)}
    return model, inputs


def control_net() -> Call:
    """The encoder half of a U-Net that takes a picture as a hint."""
    model = _made(
        "ControlNetModel",
        block_out_channels=(64, 128),
        layers_per_block=1,
        cross_attention_dim=128,
        attention_head_dim=8,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        conditioning_embedding_out_channels=(16, 32),
    )
    inputs = {
        "sample": randn(1, 4, 32, 32),
        "timestep": _STEP,
        "encoder_hidden_states": randn(1, _TEXT, 128),
        "controlnet_cond": randn(1, 3, 64, 64),
    }
    return model, inputs


def dit() -> Call:
    """Norms whose scale and shift come from time and class (adaLN-Zero)."""
    model = _made("DiTTransformer2DModel", num_attention_heads=4, attention_head_dim=32, num_layers=2, sample_size=16)
    return model, {"hidden_states": randn(1, 4, 16, 16), "timestep": _STEP, "class_labels": torch.tensor([7])}


def pixart() -> Call:
    """One scale and shift for all blocks, and cross-attention to a text."""
    model = _made(
        "PixArtTransformer2DModel",
        num_attention_heads=4,
        attention_head_dim=32,
        num_layers=2,
        sample_size=16,
        cross_attention_dim=128,
        caption_channels=96,
        use_additional_conditions=False,
    )
    inputs = {
        "hidden_states": randn(1, 4, 16, 16),
        "encoder_hidden_states": randn(1, _TEXT, 96),
        "timestep": _STEP,
        "added_cond_kwargs": {"resolution": None, "aspect_ratio": None},
    }
    return model, inputs


def mmdit() -> Call:
    """Stable Diffusion 3: text and picture attend to each other in one attention."""
    model = _made(
        "SD3Transformer2DModel",
        sample_size=16,
        num_layers=2,
        attention_head_dim=32,
        num_attention_heads=4,
        joint_attention_dim=96,
        caption_projection_dim=128,
        pooled_projection_dim=64,
        pos_embed_max_size=24,
        qk_norm="rms_norm",
    )
    inputs = {
        "hidden_states": randn(1, 16, 16, 16),
        "encoder_hidden_states": randn(1, _TEXT, 96),
        "pooled_projections": randn(1, 64),
        "timestep": _STEP,
    }
    return model, inputs


def flux() -> Call:
    """Double and single blocks with rotary positions on three axes."""
    model = _made(
        "FluxTransformer2DModel",
        in_channels=16,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=32,
        num_attention_heads=4,
        joint_attention_dim=96,
        pooled_projection_dim=64,
        guidance_embeds=True,
        axes_dims_rope=(8, 12, 12),
    )
    inputs = {
        "hidden_states": randn(1, 64, 16),
        "encoder_hidden_states": randn(1, _TEXT, 96),
        "pooled_projections": randn(1, 64),
        "timestep": torch.tensor([0.5]),
        "img_ids": torch.cartesian_prod(torch.zeros(1), torch.arange(8.0), torch.arange(8.0)),
        "txt_ids": torch.zeros(_TEXT, 3),
        "guidance": torch.tensor([3.5]),
    }
    return model, inputs


def auraflow() -> Call:
    """Joint blocks, then single ones, without biases."""
    model = _made(
        "AuraFlowTransformer2DModel",
        sample_size=16,
        num_mmdit_layers=1,
        num_single_dit_layers=1,
        attention_head_dim=32,
        num_attention_heads=4,
        joint_attention_dim=96,
        caption_projection_dim=128,
        pos_embed_max_size=64,
    )
    inputs = {
        "hidden_states": randn(1, 4, 16, 16),
        "encoder_hidden_states": randn(1, _TEXT, 96),
        "timestep": torch.tensor([0.5]),
    }
    return model, inputs


def sana() -> Call:
    """Linear attention and a gated convolution in the place of the MLP."""
    model = _made(
        "SanaTransformer2DModel",
        in_channels=8,
        out_channels=8,
        num_attention_heads=4,
        attention_head_dim=32,
        num_layers=2,
        num_cross_attention_heads=4,
        cross_attention_head_dim=32,
        cross_attention_dim=128,
        caption_channels=96,
        sample_size=16,
    )
    inputs = {
        "hidden_states": randn(1, 8, 16, 16),
        "encoder_hidden_states": randn(1, _TEXT, 96),
        "timestep": torch.tensor([500.0]),
    }
    return model, inputs


def stable_audio() -> Call:
    """Grouped queries with partial rotary positions, over sound."""
    model = _made(
        "StableAudioDiTModel",
        sample_size=64,
        in_channels=16,
        out_channels=16,
        num_layers=2,
        attention_head_dim=32,
        num_attention_heads=4,
        num_key_value_attention_heads=2,
        cross_attention_dim=64,
        time_proj_dim=64,
        global_states_input_dim=96,
        cross_attention_input_dim=64,
    )
    positions = torch.outer(torch.arange(65.0), 10000 ** -(torch.arange(0, 16, 2) / 16)).repeat(1, 2)
    inputs = {
        "hidden_states": randn(1, 16, 64),
        "timestep": torch.tensor([0.5]),
        "encoder_hidden_states": randn(1, _TEXT, 64),
        "global_hidden_states": randn(1, 1, 96),
        "rotary_embedding": (positions.cos(), positions.sin()),
    }
    return model, inputs


def video_transformer() -> Call:
    """Wan: rotary positions over time, height and width."""
    model = _made(
        "WanTransformer3DModel",
        num_attention_heads=4,
        attention_head_dim=32,
        in_channels=8,
        out_channels=8,
        text_dim=96,
        freq_dim=64,
        ffn_dim=256,
        num_layers=2,
        rope_max_seq_len=32,
    )
    inputs = {
        "hidden_states": randn(1, 8, 2, 16, 16),
        "timestep": _STEP,
        "encoder_hidden_states": randn(1, _TEXT, 96),
    }
    return model, inputs


def prior() -> Call:
    """A text's embedding to a picture's, as in unCLIP."""
    model = _made(
        "PriorTransformer", num_attention_heads=4, attention_head_dim=32, num_layers=2, embedding_dim=64,
        num_embeddings=_TEXT,
    )  # fmt: skip
    inputs = {
        "hidden_states": randn(1, 64),
        "timestep": _STEP,
        "proj_embedding": randn(1, 64),
        "encoder_hidden_states": randn(1, _TEXT, 64),
    }
    return model, inputs


def autoencoder() -> Call:
    """Stable Diffusion's encoder and decoder."""
    model = _made(
        "AutoencoderKL",
        block_out_channels=(32, 64),
        norm_num_groups=8,
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        sample_size=64,
    )
    return model, {"sample": randn(1, 3, 64, 64)}


def autoencoder_tiny() -> Call:
    """Convolutions with skips and nothing else."""
    return _made("AutoencoderTiny"), {"sample": randn(1, 3, 64, 64)}


def autoencoder_quantized() -> Call:
    """The nearest of learned vectors for each place."""
    model = _made("VQModel", block_out_channels=(32,), norm_num_groups=8, num_vq_embeddings=64)
    return model, {"sample": randn(1, 3, 32, 32)}


def _made(name: str, **options: Any) -> torch.nn.Module:
    made: torch.nn.Module = getattr(importlib.import_module("diffusers"), name)(**options)
    return made
