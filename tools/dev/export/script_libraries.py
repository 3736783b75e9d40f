"""Modules for export_scripts.py that call operators of torchvision, which fakeprop brings rules for. The library itself is
not needed: what runs here has its schemas, and results of the same metadata."""

import torch
from torch import Tensor, nn

from script_case import case

_LIBRARY = torch.library.Library("torchvision", "DEF")
_LIBRARY.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
_LIBRARY.define(
    "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width,"
    " int sampling_ratio, bool aligned) -> Tensor"
)


@torch.library.impl(_LIBRARY, "nms", "CPU")
def _nms(dets, scores, _):
    return torch.arange(0, dets.size(0), 2)


@torch.library.impl(_LIBRARY, "roi_align", "CPU")
def _roi_align(features, rois, _scale, height, width, _ratio, _aligned):
    return features.new_zeros(rois.size(0), features.size(1), height, width)


@case((1, 4, 8, 8), (6, 4), (6,), name="regions_of_torchvision")
class RegionsOfTorchvision(nn.Module):
    def forward(self, features: Tensor, boxes: Tensor, scores: Tensor):
        kept = torch.ops.torchvision.nms(boxes, scores, 0.5)
        rois = torch.cat([torch.zeros(kept.size(0), 1), boxes[kept]], 1)
        return torch.ops.torchvision.roi_align(features, rois, 0.25, 3, 5, 2, True), kept
