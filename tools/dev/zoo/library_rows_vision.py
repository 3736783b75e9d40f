"""Models of pictures, videos and volumes."""

import torch

from library_rows import Tensors, function, get, image, row, tokens, unit

SMALL = dict(image_size=64, patch_size=16, num_classes=5, dim=32, depth=2, heads=2, mlp_dim=48)
PICTURE, PAIR = image(2, 3, 64, 64), unit(2, 3, 64, 64, count=2)


def rows():
    yield from vit_pytorch()
    yield from small_transformers()
    yield from convolutions()
    yield from kornia()
    yield from quality()
    yield from segmentation()
    yield from ultralytics()


def vit_pytorch():
    cross = dict(image_size=64, num_classes=5, depth=1, sm_dim=16, sm_patch_size=16, sm_enc_depth=1, sm_enc_heads=2, sm_enc_mlp_dim=24, sm_enc_dim_head=8, lg_dim=24, lg_patch_size=32,
                 lg_enc_depth=1, lg_enc_heads=2, lg_enc_mlp_dim=24, lg_enc_dim_head=8, cross_attn_depth=1, cross_attn_heads=2, cross_attn_dim_head=8)
    for path, options in {
            "vit:ViT": SMALL, "simple_vit:SimpleViT": SMALL, "deepvit:DeepViT": SMALL, "cait:CaiT": SMALL | dict(cls_depth=1), "parallel_vit:ViT": SMALL, "rvt:RvT": SMALL,
            "vit_for_small_dataset:ViT": SMALL, "learnable_memory_vit:ViT": SMALL, "local_vit:LocalViT": SMALL, "simple_vit_with_register_tokens:SimpleViT": SMALL,
            "simple_flash_attn_vit:SimpleViT": SMALL, "simple_vit_with_qk_norm:SimpleViT": SMALL, "simple_vit_with_value_residual:SimpleViT": SMALL,
            "vit_with_patch_merger:ViT": SMALL | dict(patch_merge_layer=1, patch_merge_num_tokens=4), "cross_vit:CrossViT": cross, "xcit:XCiT": SMALL | dict(cls_depth=1),
            "max_vit:MaxViT": dict(num_classes=5, dim_conv_stem=16, dim=16, dim_head=8, depth=(1, 1), window_size=4), "pit:PiT": SMALL | dict(depth=(1, 1, 1)),
            "nest:NesT": dict(image_size=64, patch_size=4, dim=32, heads=2, num_hierarchies=3, block_repeats=(1, 1, 1), num_classes=5),
            "mobile_vit:MobileViT": dict(image_size=(64, 64), dims=[32, 48, 64], channels=[8, 8, 16, 16, 24, 24, 32, 32, 40, 40, 48], num_classes=5),
            "levit:LeViT": dict(image_size=64, num_classes=5, stages=2, dim=(16, 24), depth=1, heads=(2, 2), mlp_mult=2), "t2t:T2TViT": SMALL,
            "crossformer:CrossFormer": dict(num_classes=5, dim=(16, 32, 32, 32), depth=(1, 1, 1, 1), global_window_size=(2, 2, 2, 1), local_window_size=2),
            "sep_vit:SepViT": dict(num_classes=5, dim=16, dim_head=8, heads=(1, 2), depth=(1, 1), window_size=4), "ats_vit:ViT": SMALL | dict(max_tokens_per_depth=(16, 8))}.items():
        yield row(f"vit_pytorch.{path}", {k: v for k, v in options.items() if not (path == "t2t:T2TViT" and k == "patch_size")}, PICTURE, path.split(":")[0])
    yield row("vit_pytorch.vit_1d:ViT", dict(seq_len=64, patch_size=8, num_classes=5, dim=32, depth=2, heads=2, mlp_dim=48), image(2, 3, 64), "vit_1d")
    yield row("vit_pytorch.vit_3d:ViT", SMALL | dict(image_patch_size=16, frames=4, frame_patch_size=2) | dict(patch_size=0), image(1, 3, 4, 64, 64), "vit_3d")
    yield row("vit_pytorch.cvt:CvT", dict(num_classes=5), PICTURE, "cvt")


def small_transformers():
    yield row("mlp_mixer_pytorch:MLPMixer", dict(image_size=64, channels=3, patch_size=16, dim=32, depth=2, num_classes=5), PICTURE)
    yield row("res_mlp_pytorch:ResMLP", dict(image_size=64, patch_size=16, dim=32, depth=2, num_classes=5), PICTURE)
    yield row("g_mlp_pytorch:gMLPVision", dict(image_size=64, patch_size=16, num_classes=5, dim=32, depth=2), PICTURE)
    yield row("perceiver_pytorch:Perceiver", dict(num_freq_bands=4, depth=2, max_freq=10.0, num_latents=8, latent_dim=16, num_classes=5), image(2, 16, 16, 3))
    yield row("perceiver_pytorch:PerceiverIO", dict(depth=1, dim=32, queries_dim=24, logits_dim=7, num_latents=8, latent_dim=16), lambda: (torch.randn(2, 16, 32), None, torch.randn(6, 24)))
    yield row("axial_attention:AxialAttention", dict(dim=8, dim_index=1, heads=2, num_dimensions=2), image(2, 8, 6, 6))
    yield row("lambda_networks:LambdaLayer", dict(dim=32, dim_out=16, n=8, dim_k=8, heads=4, dim_u=1), image(2, 32, 8, 8))
    yield row("lambda_networks:LambdaLayer", dict(dim=32, dim_out=16, r=5, dim_k=8, heads=4, dim_u=2), image(2, 32, 8, 8), "LambdaLayer local")
    yield row("halonet_pytorch:HaloAttention", dict(dim=32, block_size=4, halo_size=2, dim_head=8, heads=2), image(2, 32, 16, 16))
    yield row("bottleneck_transformer_pytorch:BottleStack", dict(dim=16, fmap_size=16, dim_out=32, proj_factor=4, downsample=True, heads=2, dim_head=8, rel_pos_emb=True, num_layers=2), image(2, 16, 16, 16))
    yield row("glom_pytorch:Glom", dict(dim=32, levels=3, image_size=32, patch_size=8), image(2, 3, 32, 32))
    yield row("transformer_in_transformer:TNT", dict(image_size=32, patch_dim=32, pixel_dim=8, patch_size=8, pixel_size=2, depth=1, num_classes=5, heads=2, dim_head=8), image(2, 3, 32, 32))
    yield row("stam_pytorch:STAM", dict(dim=32, image_size=32, patch_size=8, num_frames=3, space_depth=1, space_heads=2, space_mlp_dim=48, time_depth=1, time_heads=2, time_mlp_dim=48, num_classes=5), image(2, 3, 3, 32, 32))
    yield row("timesformer_pytorch:TimeSformer", dict(dim=32, num_frames=3, num_classes=5, image_size=32, patch_size=8, depth=1, heads=2, dim_head=16), image(2, 3, 3, 32, 32))
    yield row("deformable_attention:DeformableAttention", dict(dim=32, dim_head=8, heads=2, downsample_factor=4, offset_kernel_size=6), image(1, 32, 16, 16))
    yield row("deformable_attention:DeformableAttention1D", dict(dim=32, dim_head=8, heads=2), image(1, 32, 32))
    yield row("deformable_attention:DeformableAttention3D", dict(dim=32, dim_head=8, heads=2), image(1, 32, 8, 8, 8))
    yield row("taylor_series_linear_attention:ViT", dict(image_size=32, patch_size=8, num_classes=5, dim=32, depth=1, heads=2, dim_head=8), image(2, 3, 32, 32))
    yield row("colt5_attention:ConditionalRoutedImageAttention", dict(dim=32, num_heavy_tokens_q=8, num_heavy_tokens_kv=8, light_window_size=4, light_heads=2, heavy_heads=2), image(1, 8, 8, 32))
    yield row("linear_attention_transformer:ImageLinearAttention", dict(chan=16, heads=2, key_dim=8, value_dim=8), image(2, 16, 8, 8))
    yield row("x_unet:XUnet", dict(dim=16, dim_mults=(1, 2), num_blocks_per_stage=(1, 1), channels=3, attn_heads=2, attn_dim_head=8), image(1, 3, 32, 32))
    yield row("denoising_diffusion_pytorch:Unet", dict(dim=16, dim_mults=(1, 2), attn_heads=2, attn_dim_head=8, flash_attn=False), lambda: (torch.randn(2, 3, 16, 16), torch.tensor([3, 7])))
    yield row("denoising_diffusion_pytorch:Unet1D", dict(dim=16, dim_mults=(1, 2), channels=4), lambda: (torch.randn(2, 4, 32), torch.tensor([3, 7])))
    yield row("denoising_diffusion_pytorch.karras_unet:KarrasUnet", dict(image_size=16, dim=16, dim_max=32, num_downsamples=2, num_blocks_per_stage=1, attn_res=(8,), fourier_dim=16), lambda: (torch.randn(2, 4, 16, 16), torch.rand(2)))
    yield row("siren_pytorch:SirenNet", dict(dim_in=2, dim_hidden=16, dim_out=3, num_layers=3), image(20, 2))
    yield row("pytorch_pretrained_vit:ViT", dict(name=None, patches=16, dim=32, ff_dim=48, num_heads=2, num_layers=2, image_size=64, num_classes=5), PICTURE)
    yield row("x_metaformer:ConvFormer", dict(depths=(1, 1, 1, 1), dims=(16, 16, 32, 32)), PICTURE)
    parts = "segment_anything.modeling"
    yield row(f"{parts}:ImageEncoderViT", dict(img_size=64, patch_size=8, embed_dim=32, depth=2, num_heads=2, out_chans=16, use_rel_pos=True, window_size=3, global_attn_indexes=(1,)), image(1, 3, 64, 64))
    yield row(f"{parts}:TwoWayTransformer", dict(depth=1, embedding_dim=32, num_heads=2, mlp_dim=48), lambda: (torch.randn(1, 32, 4, 4), torch.randn(1, 32, 4, 4), torch.randn(1, 5, 32)))


def convolutions():
    for name in ("efficientnet-b0", "efficientnet-b2"):
        yield "efficientnet_pytorch", name, lambda name=name: get("efficientnet_pytorch:EfficientNet").from_name(name), PICTURE
    yield "alexnet_pytorch", "alexnet", lambda: get("alexnet_pytorch:AlexNet").from_name("alexnet"), image(1, 3, 224, 224)
    yield "vgg_pytorch", "vgg11_bn", lambda: get("vgg_pytorch:VGG").from_name("vgg11_bn"), image(1, 3, 64, 64)
    yield "densenet_pytorch", "densenet121", lambda: get("densenet_pytorch:DenseNet").from_name("densenet121"), image(1, 3, 64, 64)
    for name in ("resnet10", "preresnet10", "shufflenet_g1_wd4", "igcv3_wd4", "mnasnet_b1", "darknet_tiny", "peleenet", "diracnet18v2", "bagnet9", "sqnxt23_w1", "menet108_8x1_g3", "proxylessnas_cpu",
                 "spnasnet", "ibppose_coco", "hrnet_w18_small_v1", "shufflenetv2b_wd2", "fdmobilenet_wd4", "xdensenet121_2_cifar10", "ror3_56_cifar10", "shakeshakeresnet20_2x16d_cifar10", "wrn16_10_cifar10", "pyramidnet110_a48_cifar10"):
        side = 32 if "cifar" in name else 256 if "pose" in name else 224
        yield "pytorchcv", name, lambda name=name: get("pytorchcv.model_provider:get_model")(name, pretrained=False), image(1, 3, side, side)
    for name in ("bninception", "dpn68", "se_resnet50", "nasnetamobile", "xception"):
        yield "pretrainedmodels", name, lambda name=name: get(f"pretrainedmodels:{name}")(num_classes=1000, pretrained=None), image(1, 3, 224, 224)
    yield row("resnest.torch:resnest50_fast_1s1x64d", dict(pretrained=False), PICTURE)
    yield row("facenet_pytorch:InceptionResnetV1", dict(pretrained=None, classify=True, num_classes=5), image(1, 3, 96, 96))
    yield row("pytorch_fid.inception:InceptionV3", dict(use_fid_inception=False, output_blocks=(0, 1)), image(1, 3, 64, 64), wrap=Tensors)
    yield row("torchxrayvision.models:DenseNet", dict(weights=None), image(1, 1, 64, 64))
    yield row("torchxrayvision.models:DenseNet", dict(growth_rate=8, block_config=(2, 2, 2, 2), num_init_features=16), image(2, 1, 64, 64), "DenseNet small")
    for name in ("spiking_resnet18", "sew_resnet18"):
        yield "spikingjelly", name, lambda name=name: spiking(name), image(1, 3, 32, 32)
    yield row("timm_3d:create_model", dict(pretrained=False, num_classes=4), image(1, 3, 32, 32, 32), "resnet10t", arguments=("resnet10t.c3_in1k",))
    yield row("lightly.models.modules.heads:SimCLRProjectionHead", dict(input_dim=16, hidden_dim=16, output_dim=8), image(4, 16))
    yield row("lightly.models.modules.heads:SwaVPrototypes", dict(input_dim=16, n_prototypes=12), image(4, 16))
    yield row("lightly.models.modules.heads:DINOProjectionHead", dict(input_dim=16, hidden_dim=16, bottleneck_dim=8, output_dim=12), image(4, 16))
    yield row("lightly.models:ResNetGenerator", dict(name="resnet-9", num_classes=4, width=0.25), image(2, 3, 32, 32))


def spiking(name):
    from spikingjelly.activation_based import functional, neuron, surrogate
    from spikingjelly.activation_based.model import sew_resnet, spiking_resnet
    maker = getattr(sew_resnet if name.startswith("sew") else spiking_resnet, name)
    more = dict(cnf="ADD") if name.startswith("sew") else {}
    return maker(pretrained=False, num_classes=4, spiking_neuron=neuron.IFNode, surrogate_function=surrogate.ATan(), detach_reset=True, **more)


KORNIA = {  # a class, or a function in lower case, and its arguments
    "feature:HardNet": dict(pretrained=False), "feature:SOSNet": dict(pretrained=False), "feature:TFeat": dict(pretrained=False), "feature:SIFTDescriptor": dict(patch_size=32), "feature:HyNet": dict(pretrained=False),
}
KORNIA_PICTURES = {
    "filters:Sobel": {}, "filters:Canny": {}, "filters:GaussianBlur2d": dict(kernel_size=(3, 3), sigma=(1.0, 1.0)), "filters:MedianBlur": dict(kernel_size=(3, 3)), "filters:Laplacian": dict(kernel_size=3),
    "filters:BilateralBlur": dict(kernel_size=(3, 3), sigma_color=0.1, sigma_space=(1.0, 1.0)), "filters:SpatialGradient": {}, "filters:BoxBlur": dict(kernel_size=(3, 3)), "filters:UnsharpMask": dict(kernel_size=(3, 3), sigma=(1.5, 1.5)),
    "color:RgbToLab": {}, "color:RgbToHsv": {}, "color:RgbToYuv": {}, "color:RgbToHls": {}, "color:RgbToYcbcr": {}, "color:RgbToXyz": {}, "geometry:Hflip": {}, "geometry:PyrDown": {}, "geometry:PyrUp": {}, "geometry:Rot180": {}, "geometry:Rescale": dict(factor=2.0),
    "enhance:Normalize": dict(mean=torch.zeros(3), std=torch.ones(3)), "contrib:VisionTransformer": dict(image_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=2),
}
KORNIA_FUNCTIONS = {
    "enhance:equalize_clahe": (1, 3, 64, 64), "contrib:distance_transform": (1, 1, 16, 16), "morphology:dilation": None, "geometry.transform:rot180": (1, 3, 8, 8), "enhance:sharpness": None, "enhance:equalize": (1, 3, 16, 16),
    "losses:total_variation": (1, 3, 16, 16), "geometry.subpix:spatial_soft_argmax2d": (1, 2, 8, 8), "geometry.subpix:conv_soft_argmax2d": (1, 2, 8, 8), "enhance:solarize": (1, 3, 16, 16),
}


def kornia():
    for path, options in KORNIA.items():
        yield row(f"kornia.{path}", options, image(2, 1, 32, 32))
    for path, options in KORNIA_PICTURES.items():
        yield row(f"kornia.{path}", options, unit(2, 3, 32, 32))
    for path, shape in KORNIA_FUNCTIONS.items():
        if shape:
            yield function(f"kornia.{path}", unit(*shape))
    yield function("kornia.morphology:dilation", lambda: (torch.rand(1, 3, 16, 16), torch.ones(3, 3)))
    yield function("kornia.geometry.transform:warp_perspective", lambda: (torch.rand(1, 3, 16, 16), torch.eye(3)[None]), dsize=(12, 12))
    yield function("kornia.geometry.transform:elastic_transform2d", lambda: (torch.rand(1, 3, 16, 16), torch.rand(1, 2, 16, 16)), kernel_size=(5, 5), sigma=(2.0, 2.0))
    yield function("kornia.losses:ssim_loss", PAIR, window_size=5)
    yield row("kornia.feature:CornerHarris", dict(k=0.04), image(2, 1, 16, 16))
    yield row("kornia.geometry:ScalePyramid", dict(n_levels=3, init_sigma=1.6, min_size=15), image(1, 1, 64, 64), wrap=Tensors)


def quality():
    for name in ("SSIM", "MS_SSIM"):
        yield row(f"pytorch_msssim:{name}", dict(data_range=1.0, channel=3), unit(1, 3, 176, 176, count=2) if name == "MS_SSIM" else PAIR)
    for name in ("SSIMLoss", "GMSDLoss", "MultiScaleGMSDLoss", "VIFLoss", "FSIMLoss", "VSILoss", "MDSILoss", "HaarPSILoss", "DSSLoss", "TVLoss", "SRSIMLoss"):
        yield row(f"piq:{name}", {}, unit(1, 3, 64, 64) if name == "TVLoss" else unit(1, 3, 128, 128, count=2))
    for path in ("ssim:SSIM", "gmsd:GMSD", "mdsi:MDSI", "haarpsi:HaarPSI", "vsi:VSI", "tv:TV", "psnr:PSNR"):
        yield row(f"piqa.{path}", {}, unit(1, 3, 64, 64) if path == "tv:TV" else PAIR)
    yield row("lpips:LPIPS", dict(net="squeeze", pretrained=False, pnet_rand=True, verbose=False), PAIR)
    for name in ("StructuralSimilarityIndexMeasure", "PeakSignalNoiseRatio", "TotalVariation"):
        path = f"torchmetrics.functional.image:{dict(S='structural_similarity_index_measure', P='peak_signal_noise_ratio', T='total_variation')[name[0]]}"
        yield function(path, unit(1, 3, 32, 32) if name[0] == "T" else unit(1, 3, 32, 32, count=2))


def segmentation():
    for name in ("Unet", "UnetPlusPlus", "Linknet", "FPN", "PAN", "MAnet"):
        yield row(f"segmentation_models_pytorch_3d:{name}", dict(encoder_name="resnet18", encoder_weights=None, classes=2), image(1, 3, 32, 32, 32))


def ultralytics():
    for name in ("yolov3-tiny", "yolov5n", "yolov8n", "yolov9t", "yolov10n", "yolo11n", "yolov8n-seg", "yolov8n-cls", "yolov8n-pose", "yolov8n-obb"):
        yield "ultralytics", name, lambda name=name: yolo(name), image(1, 3, 64, 64)
    for name, arguments in dict(C2f=(16, 16, 2), C3TR=(16, 16, 1), SPPF=(16, 16), C2PSA=(128, 128, 1), A2C2f=(64, 64, 1), RepNCSPELAN4=(16, 16, 16, 8), CBAM=(16,), GhostBottleneck=(16, 16), Focus=(16, 16), AIFI=(16, 32, 2), HGStem=(16, 8, 16)).items():
        yield row(f"ultralytics.nn.modules:{name}", {}, image(1, arguments[0], 16, 16), arguments=arguments)


def yolo(name):
    from ultralytics.nn import tasks
    kinds = {"seg": "SegmentationModel", "cls": "ClassificationModel", "pose": "PoseModel", "obb": "OBBModel"}
    make = getattr(tasks, kinds.get(name.split("-")[-1], "DetectionModel"))
    return Tensors(make(f"{name}.yaml", ch=3, verbose=False))
