"""Calls of torchvision's operators, and of the functions of torchvision and timm that torch.fx does not trace into."""

import torch


def floats(*sizes):
    return torch.ones(sizes)


def bytes_of(*sizes):
    return torch.zeros(sizes, dtype=torch.uint8)


def region_calls():
    ops = torch.ops.torchvision
    rois = torch.tensor([[0.0, 0.0, 0.0, 4.0, 4.0]] * 3)
    for x in (floats(2, 8, 6, 6), floats(2, 6, 6, 8).permute(0, 3, 1, 2), floats(8, 2, 6, 6).transpose(0, 1)):
        yield ops.roi_align, (x, rois, 0.5, 2, 2, -1, False)
        yield ops.roi_pool, (x, rois, 0.5, 2, 3)
        yield ops.ps_roi_align, (x, rois, 0.5, 2, 2, -1)
        yield ops.ps_roi_pool, (x, rois, 0.5, 2, 4)
    x = floats(2, 8, 6, 6)
    yield ops.roi_align, (x, rois[:, :4], 0.5, 2, 2, -1, False)
    yield ops.roi_align, (x, rois.double(), 0.5, 2, 2, -1, False)
    yield ops.ps_roi_pool, (x, rois, 0.5, 3, 3)
    grad, places = floats(3, 8, 2, 2), torch.zeros(3, 8, 2, 2, dtype=torch.int32)
    yield ops._roi_align_backward, (grad, rois, 0.5, 2, 2, 2, 8, 6, 6, -1, False)
    yield ops._roi_pool_backward, (grad, rois, places, 0.5, 2, 2, 2, 8, 6, 6)
    yield ops._ps_roi_align_backward, (floats(3, 2, 2, 2), rois, places[:, :2], 0.5, 2, 2, -1, 2, 8, 6, 6)
    yield ops._ps_roi_pool_backward, (floats(3, 2, 2, 2), rois, places[:, :2], 0.5, 2, 2, 2, 8, 6, 6)
    yield ops.nms, (floats(3, 4), floats(4), 0.5)
    yield ops.nms, (floats(3, 5), floats(3), 0.5)
    yield ops.nms, (torch.empty(0, 4), torch.empty(0), 0.5)


    yield ops.qroi_align, (bytes_of(1, 8, 6, 6), bytes_of(3, 5), 0.5, 0, 0.5, 0, 0.5, 2, 2, 2, False)
    yield ops.qroi_align, (bytes_of(1, 8, 6, 6), bytes_of(3, 4), 0.5, 0, 0.5, 0, 0.5, 2, 2, 2, False)
    yield ops.qnms, (bytes_of(0, 4), bytes_of(0), 0.5)
    yield ops.qnms, (bytes_of(3, 4), bytes_of(4), 0.5)
    yield ops.box_iou_rotated, (floats(3, 5), floats(4, 5))
    yield ops.box_iou_rotated, (floats(3, 5).double(), floats(4, 5).double())
    yield ops.box_iou_rotated, (floats(5), floats(4, 5))


def deformed_calls():
    ops = torch.ops.torchvision
    weight, bias = floats(6, 2, 3, 3), floats(6)
    for x in (floats(2, 4, 5, 5), floats(2, 5, 5, 4).permute(0, 3, 1, 2)):
        offset, mask = floats(2, 18, 3, 3), floats(2, 9, 3, 3)
        own = (x, weight, offset, mask, bias, 1, 1, 0, 0, 1, 1, 2, 1, True)
        yield ops.deform_conv2d, own
        yield ops._deform_conv2d_backward, (floats(2, 6, 3, 3), *own)
    yield ops.deform_conv2d, (x, weight, offset, floats(2, 1), bias, 1, 1, 0, 0, 1, 1, 2, 1, False)
    yield ops.deform_conv2d, (x, weight, offset, floats(0, 1), bias, 1, 1, 0, 0, 1, 1, 2, 1, False)
    yield ops.deform_conv2d, (x, weight, floats(2, 16, 3, 3), mask, bias, 1, 1, 0, 0, 1, 1, 2, 1, True)
    yield ops.deform_conv2d, (x, weight, floats(2, 18, 4, 4), mask, bias, 1, 1, 0, 0, 1, 1, 2, 1, False)
    yield ops.deform_conv2d, (x, weight, floats(2, 18, 2, 2), floats(2, 9, 2, 2), bias, 2, 2, 0, 0, 1, 1, 2, 1, True)


def region_functions():
    from torchvision.ops import ps_roi_align, ps_roi_pool, roi_align, roi_pool
    x, rois = floats(2, 8, 6, 6), torch.tensor([[0.0, 0.0, 0.0, 4.0, 4.0]] * 3)
    for boxes in (rois, [rois[:, :4], rois[:1, :4]]):
        yield roi_align, (x, boxes, 2)
        yield roi_align, (x, boxes, [2, 3], 0.5, 2, True)
        yield roi_pool, (x, boxes, [2, 2])
        yield ps_roi_align, (x, boxes, 2)
        yield ps_roi_pool, (x, boxes, [2, 4])


def dropping_functions():
    from torchvision.ops import drop_block2d, drop_block3d, stochastic_depth
    for x in (floats(2, 4, 6, 6), floats(2, 6, 6, 4).permute(0, 3, 1, 2)):
        for training in (True, False):
            yield stochastic_depth, (x, 0.5, "row", training)
            yield stochastic_depth, (x, 0.5, "batch", training)
            yield drop_block2d, (x, 0.5, 3, False, 1e-6, training)
            yield drop_block2d, (x, 0.5, 3, True, 1e-6, training)
    yield stochastic_depth, (x, 0.0, "row")
    yield stochastic_depth, (x, 1.0, "row")
    yield stochastic_depth, (x, 1.5, "row")
    yield stochastic_depth, (x, 0.5, "column")
    yield drop_block2d, (x, 0.5, 2)
    yield drop_block2d, (x, 0.5, 7)
    yield drop_block2d, (floats(4, 6, 6), 0.5, 3)
    for inplace in (True, False):
        yield drop_block3d, (floats(2, 4, 5, 5, 5), 0.5, 3, inplace)
    yield drop_block3d, (floats(4, 5, 5, 5), 0.5, 3)


def swin_functions():
    from torchvision.models import swin_transformer as swin
    for x in (floats(2, 7, 8, 4), floats(8, 7, 4), floats(2, 4, 7, 8).permute(0, 2, 3, 1)):
        yield swin._patch_merging_pad, (x,)
    yield swin._get_relative_position_bias, (floats(9, 2), torch.zeros(16, dtype=torch.int64), [2, 2])
    bias, qkv, proj = floats(1, 2, 4, 4), (floats(12, 4), floats(12)), (floats(4, 4), floats(4))
    for x in (floats(2, 5, 6, 4), floats(2, 4, 6, 6).permute(0, 2, 3, 1), floats(2, 2, 2, 4)):
        for shift in ([0, 0], [1, 1]):
            own = (x, qkv[0], proj[0], bias, [2, 2], 2, shift, 0.1, 0.1, qkv[1], proj[1])
            yield swin.shifted_window_attention, own
            yield swin.shifted_window_attention, (*own, floats(2, 1, 1), False)
    yield swin.shifted_window_attention, (floats(2, 4, 4, 6), qkv[0], proj[0], bias, [2, 2], 2, [0, 0])


def video_functions():
    from torchvision.models.video import mvit
    from torchvision.models.video import swin_transformer as swin
    for sizes in ([4, 4, 4], [2, 4, 8], [1, 1, 1]):
        yield swin._get_window_and_shift_size, ([1, 1, 1], sizes, [2, 2, 2])
        yield swin._compute_pad_size_3d, (sizes, [2, 3, 3])
    yield swin._get_relative_position_bias, (floats(27, 2), torch.zeros(8, 8, dtype=torch.int64), [2, 2, 2])
    yield swin._compute_attention_mask_3d, (floats(3, 8, 4), [4, 4, 4], [2, 2, 2], [1, 1, 1])
    for shift in ([0, 0, 0], [1, 1, 1]):
        x = floats(2, 3, 4, 5, 4)
        own = (x, floats(12, 4), floats(4, 4), floats(1, 2, 8, 8), [2, 2, 2], 2, shift, 0.1, 0.1, floats(12), floats(4))
        yield swin.shifted_window_attention_3d, own
    for rank in ([2, 5, 4], [2, 3, 5, 4]):
        yield mvit._unsqueeze, (floats(*rank), 4, 1)
    yield mvit._squeeze, (floats(2, 1, 5, 4), 4, 1, 3)
    yield mvit._squeeze, (floats(2, 1, 5, 4), 4, 1, 4)
    for whole in (True, False):
        yield mvit._add_shortcut, (floats(2, 3, 9, 4), floats(2, 3, 9, 4), whole)
    own = (floats(2, 3, 9, 9), floats(2, 3, 9, 4), [2, 2, 2], [2, 2, 2], floats(3, 4), floats(3, 4), floats(3, 4))
    yield mvit._add_rel_pos, own


def torchvision_calls():
    import torchvision.ops  # noqa: F401
    for calls in (region_calls, deformed_calls, region_functions, dropping_functions, swin_functions, video_functions):
        yield from calls()


def timm_calls():
    from timm.layers import attention, pos_embed, pos_embed_sincos as sincos
    scores = floats(2, 3, 4, 4)
    yield attention.maybe_add_mask, (scores,)
    yield attention.maybe_add_mask, (scores, floats(4, 4))
    yield attention.resolve_self_attn_mask, (4, scores)
    yield attention.resolve_self_attn_mask, (4, scores, None, True)
    yield attention.resolve_self_attn_mask, (4, scores, floats(4, 4).bool())
    yield attention.resolve_self_attn_mask, (4, scores, floats(4, 4))
    for new, old in (([4, 4], None), ([3, 5], None), ([2, 8], [2, 8]), ([6, 6], [2, 8])):
        yield pos_embed.resample_abs_pos_embed, (floats(1, 17, 6), new, old)
        yield pos_embed.resample_abs_pos_embed, (floats(1, 16, 6), new, old, 0, "bilinear", False)
    for new in ([4, 4], [3, 5]):
        yield pos_embed.resample_abs_pos_embed_nhwc, (floats(1, 4, 4, 6), new)
        yield pos_embed.resample_abs_pos_embed_nhwc, (floats(1, 4, 4, 6).bfloat16(), new)
    for indexing in ("ij", "xy"):
        for kind in ("index", "pixel", "centered"):
            yield sincos._build_grid, ([3, 4], kind, [5, 5], 0.5, indexing)
        yield sincos.get_mixed_grid, ([3, 4], indexing)
        yield sincos.make_coords_dinov3, (3, 4, "max", indexing)
    yield sincos._build_grid, ([3, 4], "index", None, 0.0, "ij", "separate", None, torch.bfloat16)
    yield sincos._build_grid, ([3, 4, 5],)
    yield sincos._build_grid, ([3, 4, 5], "index", None, 0.0, "ij", "separate", None, torch.float32, 2)
    yield sincos._build_grid, ([3, 4], "other")
    yield sincos._apply_coord_augs, (floats(12, 2),)
    yield sincos._apply_coord_augs, (floats(12, 2), 0.5, 2.0, 2.0)
    for dtype in (None, torch.bfloat16, torch.float64):
        yield sincos._freq_buffer_dtype, (dtype,)
