"""Models of tables, sound, molecules, geometry, flows and science."""

import torch

from library_rows import Tensors, function, get, image, row, unit

TABLE = lambda: (torch.randint(0, 4, (6, 3)), torch.randn(6, 5))
WAVE = image(2, 1, 4096)


def rows():
    yield from tables()
    yield from sound()
    yield from geometry()
    yield from flows()
    yield from science()
    yield from metric_learning()


def tables():
    tab = dict(categories=(4, 4, 4), num_continuous=5, dim=16, dim_out=1, depth=2, heads=2)
    yield row("tab_transformer_pytorch:TabTransformer", tab, TABLE)
    yield row("tab_transformer_pytorch:FTTransformer", tab, TABLE)
    yield ("pytorch_tabnet", "TabNet", lambda: get("pytorch_tabnet.tab_network:TabNet")(8, 3, group_attention_matrix=torch.eye(8)), image(6, 8))
    yield row("rtdl_revisiting_models:MLP", dict(d_in=8, d_out=2, n_blocks=2, d_block=16, dropout=0.1), image(6, 8))
    yield row("rtdl_revisiting_models:ResNet", dict(d_in=8, d_out=2, n_blocks=2, d_block=16, d_hidden_multiplier=2.0, dropout1=0.1, dropout2=0.0), image(6, 8))
    yield row("rtdl_revisiting_models:FTTransformer", dict(n_cont_features=5, cat_cardinalities=[4, 4, 4], d_out=2, n_blocks=2, d_block=16, attention_n_heads=2, attention_dropout=0.1, ffn_d_hidden_multiplier=2.0, ffn_dropout=0.1, residual_dropout=0.0), lambda: (torch.randn(6, 5), torch.randint(0, 4, (6, 3))))
    for name, options in dict(LinearEmbeddings=dict(d_embedding=8), LinearReLUEmbeddings=dict(d_embedding=8), PeriodicEmbeddings=dict(d_embedding=8, n_frequencies=6, lite=False)).items():
        yield row(f"rtdl_num_embeddings:{name}", options, image(6, 5), arguments=(5,))
    yield row("rtdl_num_embeddings:PiecewiseLinearEmbeddings", dict(d_embedding=8, activation=False, version="B"), image(6, 3), arguments=([torch.linspace(-1, 1, n) for n in (4, 5, 6)],))
    yield row("rtdl_num_embeddings:PiecewiseLinearEncoding", {}, image(6, 3), arguments=([torch.linspace(-1, 1, n) for n in (4, 5, 6)],))
    yield ("tabm", "TabM", lambda: get("tabm:TabM").make(n_num_features=5, d_out=2, k=4, d_block=16, n_blocks=2), image(6, 5))
    yield row("tabm:LinearBatchEnsemble", dict(k=4, scaling_init="ones"), image(6, 4, 5), arguments=(5, 8))
    yield row("tabm:BatchNorm1dEnsemble", dict(k=4), image(6, 4, 5), arguments=(5,))
    for name in ("DeepFM", "xDeepFM", "DCN", "DCNMix", "AutoInt", "PNN", "NFM", "WDL", "AFM", "FiBiNET", "IFM", "DIFM", "AFN", "MLR", "ONN"):
        yield "deepctr_torch", name, lambda name=name: deepctr(name), lambda: (torch.cat([torch.randint(0, 4, (6, 3)).float(), torch.randn(6, 2)], 1),)


def deepctr(name):
    from deepctr_torch import models
    from deepctr_torch.inputs import DenseFeat, SparseFeat
    features = [SparseFeat(f"c{i}", 4, embedding_dim=4) for i in range(3)] + [DenseFeat(f"d{i}", 1) for i in range(2)]
    if name == "MLR":
        return models.MLR(features, device="cpu")
    if name == "PNN":
        return models.PNN(features, dnn_hidden_units=(16, 16), device="cpu")
    return getattr(models, name)(features, features, device="cpu")


def sound():
    for name, options in dict(LowPassFilter=dict(cutoff=0.2), HighPassFilter=dict(cutoff=0.2, fft=True), BandPassFilter=dict(cutoff_low=0.1, cutoff_high=0.3), SplitBands=dict(sample_rate=16000, n_bands=3)).items():
        yield row(f"julius:{name}", options, image(2, 1024))
    yield row("julius:ResampleFrac", dict(old_sr=4, new_sr=3), image(2, 1000))
    yield row("julius:FFTConv1d", dict(in_channels=2, out_channels=3, kernel_size=33, stride=2), image(2, 2, 1024))
    banks = "asteroid_filterbanks"
    for name, options in dict(FreeFB=dict(n_filters=16, kernel_size=8), STFTFB=dict(n_filters=16, kernel_size=16), AnalyticFreeFB=dict(n_filters=16, kernel_size=8), ParamSincFB=dict(n_filters=16, kernel_size=9), MelGramFB=dict(n_filters=64, kernel_size=64, n_mels=8)).items():
        yield banks, f"Encoder {name}", lambda name=name, options=options: get(f"{banks}:Encoder")(get(f"{banks}:{name}")(**options)), image(2, 1, 512)
    yield banks, "Decoder FreeFB", lambda: get(f"{banks}:Decoder")(get(f"{banks}:FreeFB")(n_filters=16, kernel_size=8)), image(2, 16, 60)
    for name in ("STFTLoss", "MultiResolutionSTFTLoss", "SumAndDifferenceSTFTLoss"):
        options = dict(fft_sizes=[256], hop_sizes=[64], win_lengths=[256]) if name != "STFTLoss" else dict(fft_size=256, hop_size=64, win_length=256)
        yield row(f"auraloss.freq:{name}", options, lambda name=name: tuple(torch.randn(2, 2 if name[1] == "u" else 1, 2048) for _ in range(2)))
    for name in ("ESRLoss", "DCLoss", "LogCoshLoss", "SNRLoss", "SISDRLoss", "SDSDRLoss"):
        yield row(f"auraloss.time:{name}", {}, lambda: (torch.randn(2, 1, 512), torch.randn(2, 1, 512)))
    yield row("torchlibrosa:Spectrogram", dict(n_fft=256, hop_length=64), image(2, 2048))
    yield row("torchlibrosa:LogmelFilterBank", dict(n_fft=256, n_mels=16, sr=16000), unit(2, 1, 33, 129))
    yield row("torchlibrosa:SpecAugmentation", dict(time_drop_width=4, time_stripes_num=2, freq_drop_width=4, freq_stripes_num=2), image(2, 1, 33, 16))
    for name, options in dict(STFT=dict(n_fft=256, hop_length=64, verbose=False), MelSpectrogram=dict(n_fft=256, n_mels=16, hop_length=64, verbose=False), MFCC=dict(n_mfcc=8, n_fft=256, n_mels=16, hop_length=64, verbose=False), CQT1992v2=dict(sr=16000, n_bins=24, verbose=False), Gammatonegram=dict(n_fft=256, n_bins=16, hop_length=64, verbose=False)).items():
        yield row(f"nnAudio.features:{name}", options, image(1, 8192))
    yield row("torchcrepe:Crepe", dict(model="tiny"), image(2, 1024))
    yield row("encodec.modules:SEANetEncoder", dict(n_filters=4, dimension=8, ratios=[4, 2]), image(1, 1, 512))
    yield row("encodec.modules:SEANetDecoder", dict(n_filters=4, dimension=8, ratios=[4, 2]), image(1, 8, 64))
    yield row("encodec.msstftd:MultiScaleSTFTDiscriminator", dict(filters=4, n_ffts=[256], hop_lengths=[64], win_lengths=[256]), image(1, 1, 2048), wrap=Tensors)
    yield row("demucs.demucs:Demucs", dict(sources=["a", "b"], channels=4, depth=2, segment=1), image(1, 2, 4096))
    yield row("demucs.hdemucs:HDemucs", dict(sources=["a", "b"], channels=4, depth=4, nfft=1024), image(1, 2, 8192))
    yield row("openunmix.model:OpenUnmix", dict(nb_bins=33, nb_channels=2, hidden_size=16, nb_layers=1), unit(1, 2, 33, 10))
    for name in ("ConvTasNet", "DPRNNTasNet", "DPTNet"):
        options = dict(n_src=2, n_filters=16, kernel_size=8, stride=4)
        options |= dict(n_blocks=1, n_repeats=1, bn_chan=8, hid_chan=8, skip_chan=8) if name == "ConvTasNet" else dict(n_repeats=1, chunk_size=10)
        yield row(f"asteroid.models:{name}", options, image(1, 1, 400))
    yield row("a_unet:GRN", dict(dim=1, channels=8), image(2, 8, 16))


def geometry():
    points = lambda: (torch.randn(1, 12, 16), torch.randn(1, 12, 3))
    yield row("egnn_pytorch:EGNN", dict(dim=16, m_dim=8), points)
    yield row("egnn_pytorch:EGNN", dict(dim=16, m_dim=8, num_nearest_neighbors=4, norm_coors=True, soft_edges=True, fourier_features=2), points, "EGNN neighbours")
    yield row("egnn_pytorch:EGNN_Network", dict(depth=2, dim=16, num_tokens=20, num_positions=12, num_nearest_neighbors=4), lambda: (torch.randint(0, 20, (1, 12)), torch.randn(1, 12, 3)))
    yield row("en_transformer:EnTransformer", dict(dim=16, depth=1, dim_head=8, heads=2, neighbors=4), points, wrap=Tensors)
    yield row("invariant_point_attention:IPATransformer", dict(dim=16, depth=2, num_tokens=20, predict_points=True, heads=2, require_pairwise_repr=False), lambda: (torch.randint(0, 20, (1, 8)),))
    yield row("point_transformer_pytorch:PointTransformerLayer", dict(dim=16, pos_mlp_hidden_dim=8, attn_mlp_hidden_mult=2), points)
    yield row("point_transformer_pytorch:PointTransformerLayer", dict(dim=16, pos_mlp_hidden_dim=8, attn_mlp_hidden_mult=2, num_neighbors=4), points, "PointTransformerLayer neighbours")
    yield row("point_transformer_pytorch:MultiheadPointTransformerLayer", dict(dim=16, heads=2, dim_head=8, pos_mlp_hidden_dim=8), points)
    for name in ("PoincareBall", "Lorentz", "Stereographic"):
        yield "geoopt", name, lambda name=name: OnManifold(get(f"geoopt:{name}")()), lambda: (torch.rand(4, 5) * 0.1, torch.rand(4, 5) * 0.1)
    yield row("torchani.nn:AtomicNetwork", dict(layer_dims=(16, 8, 1)), image(6, 16))
    yield row("torchani.nn:AtomicEmbedding", dict(symbols=("H", "C", "N"), dim=4), lambda: (torch.tensor([[0, 1, 2, -1]]),))


class OnManifold(torch.nn.Module):
    """What users of a geoopt manifold call most."""

    def __init__(self, manifold):
        super().__init__()
        self.manifold = manifold

    def forward(self, x, y):
        x, y = self.manifold.projx(x), self.manifold.projx(y)
        moved = self.manifold.expmap(x, self.manifold.proju(x, y - x))
        return moved, self.manifold.dist(x, y), self.manifold.logmap(x, y)


def flows():
    for name, options in dict(MAF=dict(transforms=2), NSF=dict(transforms=2, bins=4), NICE=dict(transforms=2), RealNVP=dict(transforms=2), GMM=dict(components=3), NAF=dict(transforms=1, signal=4), SOSPF=dict(transforms=1), BPF=dict(transforms=1, degree=4), GF=dict(transforms=1, components=3)).items():
        more = options if name == "GMM" else options | dict(hidden_features=(16, 16))
        yield "zuko", name, lambda name=name, more=more: LogProb(get(f"zuko.flows:{name}")(features=3, **more)), image(6, 3)
    transforms = "nflows.transforms"
    yield row(f"{transforms}:MaskedAffineAutoregressiveTransform", dict(features=4, hidden_features=8), image(6, 4))
    yield row(f"{transforms}:MaskedPiecewiseRationalQuadraticAutoregressiveTransform", dict(features=4, hidden_features=8, num_bins=4, tails="linear", tail_bound=3.0), image(6, 4))
    yield row(f"{transforms}:PiecewiseQuadraticCDF", dict(shape=[4], num_bins=4), unit(6, 4))
    yield row(f"{transforms}:PiecewiseCubicCDF", dict(shape=[4], num_bins=4), unit(6, 4))
    yield row(f"{transforms}:LULinear", dict(features=4), image(6, 4))
    yield row(f"{transforms}:QRLinear", dict(features=4, num_householder=2), image(6, 4))
    yield row(f"{transforms}:SVDLinear", dict(features=4, num_householder=2), image(6, 4))
    yield row(f"{transforms}:HouseholderSequence", dict(features=4, num_transforms=3), image(6, 4))
    yield row(f"{transforms}:OneByOneConvolution", dict(num_channels=4), image(2, 4, 6, 6))
    yield row(f"{transforms}:SqueezeTransform", {}, image(2, 4, 6, 6))
    yield row(f"{transforms}:Logit", {}, unit(6, 4))
    yield "normflows", "Glow", glow, image(2, 3, 8, 8)
    yield "normflows", "MaskedAffineFlow", affine_flow, image(6, 4)
    yield "normflows", "AutoregressiveRationalQuadraticSpline", lambda: get("normflows.flows:AutoregressiveRationalQuadraticSpline")(4, 1, 8), image(6, 4)
    yield "normflows", "Planar", lambda: get("normflows.flows:Planar")((4,)), image(6, 4)
    yield "normflows", "Radial", lambda: get("normflows.flows:Radial")((4,)), image(6, 4)
    yield "torchdiffeq", "rk4", lambda: Ode("rk4"), image(4, 3)
    yield "torchdiffeq", "euler", lambda: Ode("euler"), image(4, 3)
    yield "torchdiffeq", "midpoint", lambda: Ode("midpoint"), image(4, 3)


class LogProb(torch.nn.Module):
    def __init__(self, flow):
        super().__init__()
        self.flow = flow

    def forward(self, x):
        return self.flow().log_prob(x)


def glow():
    import normflows
    return normflows.flows.GlowBlock(3, 8, scale=True, split_mode="channel")


def affine_flow():
    import normflows
    net = lambda: normflows.nets.MLP([4, 8, 4], init_zeros=True)
    return normflows.flows.MaskedAffineFlow(torch.tensor([1.0, 0, 1, 0]), net(), net())


class Ode(torch.nn.Module):
    def __init__(self, method):
        super().__init__()
        self.method = method
        self.net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))

    def forward(self, x):
        import torchdiffeq
        return torchdiffeq.odeint(lambda t, y: self.net(y), x, torch.linspace(0, 1, 4), method=self.method)


def science():
    for name, options in dict(FNO=dict(n_modes=(4, 4), in_channels=2, out_channels=1, hidden_channels=8, n_layers=2), UNO=dict(in_channels=2, out_channels=1, hidden_channels=8, n_layers=3, uno_out_channels=[8, 8, 8], uno_n_modes=[[4, 4]] * 3, uno_scalings=[[1.0, 1.0]] * 3), TFNO=dict(n_modes=(4, 4), in_channels=2, out_channels=1, hidden_channels=8, n_layers=2)).items():
        yield row(f"neuralop.models:{name}", options, image(1, 2, 16, 16))
    yield row("torch_harmonics:RealSHT", dict(nlat=16, nlon=32), image(2, 16, 32))
    yield row("torch_harmonics:InverseRealSHT", dict(nlat=16, nlon=32), lambda: (torch.randn(2, 16, 17, dtype=torch.complex64),))
    yield row("torch_harmonics:SpectralConvS2", dict(in_shape=(16, 32), out_shape=(16, 32), in_channels=3, out_channels=4), image(2, 3, 16, 32))
    yield row("torch_harmonics:ResampleS2", dict(nlat_in=16, nlon_in=32, nlat_out=8, nlon_out=16), image(2, 3, 16, 32))
    yield row("torch_harmonics:AttentionS2", dict(in_channels=8, num_heads=2, in_shape=(8, 16), out_shape=(8, 16)), image(1, 8, 8, 16))
    yield row("torch_harmonics:QuadratureS2", dict(img_shape=(16, 32)), image(2, 16, 32))
    waves = "pytorch_wavelets"
    yield row(f"{waves}:DWTForward", dict(J=2, wave="db2", mode="symmetric"), image(1, 2, 16, 16))
    yield row(f"{waves}:DWT1DForward", dict(J=2, wave="db3", mode="zero"), image(1, 2, 32))
    yield row(f"{waves}:DTCWTForward", dict(J=2), image(1, 2, 16, 16))
    yield row(f"{waves}:ScatLayer", {}, image(1, 3, 16, 16))
    yield row("unfoldNd:UnfoldNd", dict(kernel_size=3, padding=1), image(1, 2, 6, 6, 6))
    yield row("unfoldNd:FoldNd", dict(output_size=(6, 6, 6), kernel_size=2, stride=2), image(1, 16, 27))
    yield row("torch_dct:LinearDCT", dict(in_features=8, type="dct"), image(4, 8))
    for name in ("dct", "idct", "dct_2d", "dct1"):
        yield function(f"torch_dct:{name}", image(4, 8))
    for name in ("dct2", "idct2"):
        yield function(f"dctorch.functional:{name}", image(2, 8, 8))
    yield row("kan:KANLayer", dict(in_dim=3, out_dim=4, num=5, k=3), image(6, 3))
    yield "gpytorch", "RBFKernel", lambda: Kernel(get("gpytorch.kernels:ScaleKernel")(get("gpytorch.kernels:RBFKernel")())), lambda: (torch.randn(6, 3), torch.randn(5, 3))
    yield "gpytorch", "MaternKernel", lambda: Kernel(get("gpytorch.kernels:MaternKernel")(nu=2.5)), lambda: (torch.randn(6, 3), torch.randn(5, 3))
    yield "gpytorch", "PeriodicKernel", lambda: Kernel(get("gpytorch.kernels:PeriodicKernel")()), lambda: (torch.randn(6, 3), torch.randn(5, 3))
    yield "gpytorch", "SpectralMixtureKernel", lambda: Kernel(get("gpytorch.kernels:SpectralMixtureKernel")(num_mixtures=2, ard_num_dims=3)), lambda: (torch.randn(6, 3), torch.randn(5, 3))
    for name in ("EEGNet", "ShallowFBCSPNet", "Deep4Net", "EEGConformer", "ATCNet", "TIDNet", "EEGITNet", "EEGInceptionMI", "SleepStagerChambon2018", "TSception", "FBCNet", "EEGTCNet", "CTNet", "SPARCNet", "EEGSimpleConv", "BIOT", "Labram", "IFNet", "MSVTNet", "FBMSNet"):
        yield row(f"braindecode.models:{name}", dict(n_chans=4, n_outputs=3, n_times=512, sfreq=128), image(2, 4, 512))


class Kernel(torch.nn.Module):
    def __init__(self, kernel):
        super().__init__()
        self.kernel = kernel

    def forward(self, x, y):
        return self.kernel(x, y).to_dense()


def metric_learning():
    losses = "pytorch_metric_learning.losses"
    batch = lambda: (torch.randn(6, 8), torch.tensor([0, 0, 1, 1, 2, 2]))
    for name, options in dict(ContrastiveLoss={}, TripletMarginLoss={}, ArcFaceLoss=dict(num_classes=3, embedding_size=8), CosFaceLoss=dict(num_classes=3, embedding_size=8), NTXentLoss={}, ProxyAnchorLoss=dict(num_classes=3, embedding_size=8), SoftTripleLoss=dict(num_classes=3, embedding_size=8), MultiSimilarityLoss={}, CircleLoss={}, NormalizedSoftmaxLoss=dict(num_classes=3, embedding_size=8), SupConLoss={}, SphereFaceLoss=dict(num_classes=3, embedding_size=8), NCALoss={}, FastAPLoss={}).items():
        yield row(f"{losses}:{name}", options, batch)
    pairs = lambda: (torch.randn(8, 5).softmax(-1), torch.randint(0, 5, (8,)))
    for path, options in {"classification:multiclass_accuracy": dict(num_classes=5, average="macro"), "classification:multiclass_confusion_matrix": dict(num_classes=5), "classification:multiclass_auroc": dict(num_classes=5, thresholds=10), "classification:multiclass_calibration_error": dict(num_classes=5, n_bins=5), "classification:multiclass_f1_score": dict(num_classes=5)}.items():
        yield function(f"torchmetrics.functional.{path}", pairs, validate_args=False, **options)
    for name in ("mean_squared_error", "pearson_corrcoef", "r2_score", "concordance_corrcoef", "spearman_corrcoef", "kendall_rank_corrcoef"):
        yield function(f"torchmetrics.functional.regression:{name}", image_pair(16))
    for name in ("signal_noise_ratio", "scale_invariant_signal_distortion_ratio"):
        yield function(f"torchmetrics.functional.audio:{name}", image_pair(2, 100))


def image_pair(*shape):
    return lambda: (torch.randn(*shape), torch.randn(*shape))
