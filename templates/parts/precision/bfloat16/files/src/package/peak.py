"""The most that devices can compute in this precision, of which MFU is a share."""

import torch

PEAK_OF = "bfloat16, dense"
# Dense bfloat16 tensor-core peaks in FLOP/s, accumulated in float32, from NVIDIA's data sheets and
# architecture papers, which often print twice this number, meant for sparse matrices. A name that
# is not here has no MFU: a similar device's peak would be a guess (power limits, MIG slices).
PEAK_FLOPS = {
    "NVIDIA A100-SXM4-40GB": 312e12,
    "NVIDIA A100-SXM4-80GB": 312e12,
    "NVIDIA A100-PCIE-40GB": 312e12,
    "NVIDIA A100 80GB PCIe": 312e12,
    "NVIDIA H100 80GB HBM3": 989e12,
    "NVIDIA H100 PCIe": 756e12,
    "NVIDIA H100 NVL": 835e12,
    "NVIDIA GH200 480GB": 989e12,
    "NVIDIA H200": 989e12,
    "NVIDIA B200": 2250e12,
    "NVIDIA L4": 121e12,
    "NVIDIA L40S": 362e12,
    "NVIDIA A10G": 70e12,
    "NVIDIA GeForce RTX 3090": 71e12,
    "NVIDIA GeForce RTX 4090": 165e12,
    "NVIDIA GeForce RTX 5090": 209.5e12,
}


def peak_flops(device: torch.device) -> float | None:
    """The device's peak in FLOP/s, or None where it is not known."""
    return PEAK_FLOPS.get(torch.cuda.get_device_name(device)) if device.type == "cuda" else None
