"""The most that devices can compute in this precision, of which MFU is a share."""

import torch

PEAK_OF = "float32"
# Peaks in FLOP/s from NVIDIA's data sheets and architecture papers, without tensor cores, which
# would round float32 to TF32: torch does not use them for it unless told to. A name that is not
# here has no MFU: a similar device's peak would be a guess (power limits, MIG slices).
PEAK_FLOPS = {
    "Tesla V100-SXM2-16GB": 15.7e12,
    "Tesla V100-SXM2-32GB": 15.7e12,
    "NVIDIA A100-SXM4-40GB": 19.5e12,
    "NVIDIA A100-SXM4-80GB": 19.5e12,
    "NVIDIA A100-PCIE-40GB": 19.5e12,
    "NVIDIA A100 80GB PCIe": 19.5e12,
    "NVIDIA H100 80GB HBM3": 67e12,
    "NVIDIA H100 PCIe": 51e12,
    "NVIDIA H100 NVL": 60e12,
    "NVIDIA GH200 480GB": 67e12,
    "NVIDIA H200": 67e12,
    "NVIDIA L4": 30.3e12,
    "NVIDIA L40S": 91.6e12,
    "NVIDIA A10G": 35e12,
    "NVIDIA GeForce RTX 3090": 35.6e12,
    "NVIDIA GeForce RTX 4090": 82.6e12,
    "NVIDIA GeForce RTX 5090": 104.8e12,
}


def peak_flops(device: torch.device) -> float | None:
    """The device's peak in FLOP/s, or None where it is not known."""
    return PEAK_FLOPS.get(torch.cuda.get_device_name(device)) if device.type == "cuda" else None
