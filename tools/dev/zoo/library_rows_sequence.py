"""Models of text, sequences and series."""

import torch

from library_rows import Tensors, function, image, row, tokens

TEXT = tokens(2, 16)
LM = dict(num_tokens=60, dim=32, depth=2)
FEATURES = image(2, 16, 32)
X_TRANSFORMERS = dict(
    plain={}, rotary=dict(rotary_pos_emb=True), alibi=dict(alibi_pos_bias=True), rel=dict(rel_pos_bias=True),
    glu=dict(ff_glu=True, ff_swish=True), rmsnorm=dict(use_rmsnorm=True), macaron=dict(macaron=True), memory=dict(attn_num_mem_kv=4),
    gated=dict(attn_gate_values=True), kv_heads=dict(attn_kv_heads=1), qk_norm=dict(attn_qk_norm=True), sparse=dict(attn_sparse_topk=4),
    talking=dict(attn_pre_talking_heads=True), shift=dict(shift_tokens=1), dynamic_pos=dict(dynamic_pos_bias=True))


def rows():
    yield from transformers()
    yield from attention()
    yield from recurrent()


def transformers():
    for name, options in X_TRANSFORMERS.items():
        def build(options=options):
            import x_transformers
            return x_transformers.TransformerWrapper(num_tokens=60, max_seq_len=32, attn_layers=x_transformers.Decoder(dim=32, depth=2, heads=4, **options))
        yield "x_transformers", f"Decoder {name}", build, TEXT
    yield row("linformer:LinformerLM", LM | dict(seq_len=16, heads=4, k=8), TEXT)
    yield row("performer_pytorch:PerformerLM", LM | dict(max_seq_len=16, heads=4), TEXT)
    yield row("reformer_pytorch:ReformerLM", LM | dict(max_seq_len=32, heads=4, bucket_size=8), TEXT)
    yield row("routing_transformer:RoutingTransformerLM", LM | dict(max_seq_len=32, heads=4, window_size=8), tokens(2, 32), wrap=Tensors)
    yield row("sinkhorn_transformer:SinkhornTransformerLM", LM | dict(max_seq_len=32, heads=4, bucket_size=8), tokens(2, 32))
    yield row("linear_attention_transformer:LinearAttentionTransformerLM", LM | dict(max_seq_len=32, heads=4), tokens(2, 32))
    yield row("linear_attention_transformer:LinearAttentionTransformerLM", LM | dict(max_seq_len=32, heads=4, causal=True, n_local_attn_heads=2, local_attn_window_size=8), tokens(2, 32), "causal and local")
    yield row("local_attention:LocalTransformer", LM | dict(max_seq_len=32, local_attn_window_size=8, heads=4), TEXT)
    yield row("local_attention:LocalTransformer", LM | dict(max_seq_len=32, local_attn_window_size=8, heads=4, use_xpos=True, use_dynamic_pos_bias=True), TEXT, "LocalTransformer xpos")
    yield row("compressive_transformer_pytorch:CompressiveTransformer", LM | dict(seq_len=16, emb_dim=32, mem_len=16, cmem_len=4, cmem_ratio=4), TEXT, wrap=Tensors)
    yield row("feedback_transformer_pytorch:FeedbackTransformer", LM | dict(mem_len=8, seq_len=2, heads=4), tokens(2, 4))
    yield row("h_transformer_1d:HTransformer1D", LM | dict(max_seq_len=32, heads=4, block_size=4), tokens(2, 32))
    yield row("h_transformer_1d:HTransformer1D", LM | dict(max_seq_len=32, heads=4, block_size=4, causal=True), tokens(2, 32), "HTransformer1D causal")
    yield row("fast_transformer_pytorch:FastTransformer", LM | dict(max_seq_len=32, heads=4), lambda: (torch.randint(0, 50, (2, 16)), torch.ones(2, 16, dtype=torch.bool)))
    yield row("token_shift_gpt:TokenShiftGPT", LM | dict(max_seq_len=32), TEXT)
    yield row("hourglass_transformer_pytorch:HourglassTransformerLM", dict(num_tokens=60, dim=32, max_seq_len=32, depth=(1, (1, 1, 1), 1), shorten_factor=2, heads=4), TEXT)
    yield row("MEGABYTE_pytorch:MEGABYTE", dict(num_tokens=60, dim=(32, 16), depth=(1, 1), max_seq_len=(8, 4), heads=2, dim_head=16), tokens(2, 32), wrap=Tensors)
    yield row("block_recurrent_transformer_pytorch:BlockRecurrentTransformer", LM | dict(heads=2, dim_head=16, max_seq_len=16, block_width=8), TEXT, wrap=Tensors)
    yield row("gated_state_spaces_pytorch:GatedStateSpacesLM", LM | dict(dss_kernel_N=16, dss_kernel_H=8), TEXT)
    yield row("gated_state_spaces_pytorch:GatedDsConvLM", LM | dict(heads=2, dim_dsconv=16, max_seq_len=32), TEXT)
    yield row("gated_state_spaces_pytorch:GatedExponentialSmoothingLM", LM | dict(heads=2, dim_mhesa=16), TEXT)
    yield row("mega_pytorch:Mega", LM | dict(ema_heads=4, attn_dim_qk=16, attn_dim_value=32, laplacian_attn_fn=False), TEXT)
    yield row("mega_pytorch:MegaLayer", dict(dim=32, ema_heads=4, attn_dim_qk=16, attn_dim_value=32, laplacian_attn_fn=True, causal=False), FEATURES)
    yield row("long_short_transformer:LongShortTransformer", LM | dict(max_seq_len=32, window_size=8, heads=2, segment_size=8, r=1), tokens(2, 32))
    yield row("ponder_transformer:PonderTransformer", dict(num_tokens=60, dim=32, max_seq_len=32, heads=2, dim_head=16), TEXT, wrap=Tensors)
    yield row("infini_transformer_pytorch:InfiniTransformer", LM | dict(heads=2, dim_head=16), TEXT, wrap=Tensors)
    yield row("minGRU_pytorch.minLM:minLM", LM, TEXT)
    yield row("perceiver_ar_pytorch:PerceiverAR", LM | dict(max_seq_len=32, cross_attn_seq_len=16, heads=2, dim_head=16), tokens(2, 32))
    yield row("g_mlp_pytorch:gMLP", LM | dict(seq_len=16), TEXT)
    yield row("g_mlp_pytorch:gMLP", LM | dict(seq_len=16, causal=True, circulant_matrix=True, heads=2, attn_dim=16), TEXT, "gMLP causal")
    yield row("charformer_pytorch:GBST", dict(num_tokens=60, dim=32, max_block_size=4, downsample_factor=4), TEXT)
    yield row("retnet:RetNet", {}, TEXT)
    yield row("yet_another_retnet.retnet:RetNet", dict(num_tokens=60, d_model=32, nhead=4, num_layers=2, dim_feedforward=48), lambda: (torch.randint(0, 50, (2, 16)), torch.randint(0, 50, (2, 16))))
    yield row("yet_another_retnet.retnet:RetNetDecoderLayer", dict(d_model=32, nhead=4, dim_feedforward=48), FEATURES)
    yield row("flamingo_pytorch:PerceiverResampler", dict(dim=32, depth=2, dim_head=16, heads=2, num_latents=4), image(2, 2, 16, 32))
    yield row("flamingo_pytorch:FlamingoPaLM", LM | dict(dim_head=16, heads=2), TEXT)
    yield row("coca_pytorch:CoCa", dict(dim=32, num_tokens=60, unimodal_depth=1, multimodal_depth=1, image_dim=24, num_img_queries=8, dim_head=16, heads=2),
              lambda: (torch.randint(1, 50, (2, 16)), None, torch.randn(2, 10, 24)))
    yield row("iTransformer:iTransformer", dict(num_variates=5, lookback_len=16, dim=32, depth=2, heads=2, dim_head=16, pred_length=(4, 8)), image(2, 16, 5))
    yield row("iTransformer:iTransformer2D", dict(num_variates=5, num_time_tokens=4, lookback_len=16, dim=32, depth=1, heads=2, dim_head=16, pred_length=(4, 8)), image(2, 16, 5))
    yield row("etsformer_pytorch:ETSFormer", dict(time_features=4, model_dim=32, layers=2, heads=4, K=2), image(2, 32, 4))
    yield row("bs_roformer:BSRoformer", dict(dim=16, depth=1, time_transformer_depth=1, freq_transformer_depth=1, dim_head=8, heads=2), image(1, 8192))
    yield row("x_metaformer:CAFormer", dict(depths=(1, 1, 1, 1), dims=(16, 16, 32, 32)), image(2, 3, 64, 64))
    yield row("zorro_pytorch:Zorro", dict(dim=32, depth=1, dim_head=16, heads=2), image(1, 32))


def attention():
    yield row("linformer:LinformerSelfAttention", dict(dim=32, seq_len=16, heads=4, k=8), FEATURES)
    yield row("nystrom_attention:Nystromformer", dict(dim=32, depth=2, heads=4, num_landmarks=4), FEATURES)
    yield row("conformer:Conformer", dict(dim=32, depth=2, heads=4), FEATURES)
    yield row("performer_pytorch:CrossAttention", dict(dim=32, heads=2, dim_head=16), lambda: (torch.randn(2, 16, 32),))
    yield row("sinkhorn_transformer:SinkhornSelfAttention", dict(dim=32, bucket_size=8, max_seq_len=32, heads=2), image(2, 32, 32))
    yield row("aft_pytorch:AFTFull", dict(max_seqlen=16, dim=32, hidden_dim=24), FEATURES)
    yield row("aft_pytorch:AFTSimple", dict(max_seqlen=16, dim=32, hidden_dim=24), FEATURES)
    yield row("aft_pytorch:AFTLocal", dict(max_seqlen=16, dim=32, hidden_dim=24, s=4), FEATURES)
    yield row("mixture_of_experts:MoE", dict(dim=32, num_experts=4, hidden_dim=48), FEATURES)
    yield row("mixture_of_experts:HeirarchicalMoE", dict(dim=32, num_experts=(2, 2), hidden_dim=48), FEATURES)
    yield row("st_moe_pytorch:MoE", dict(dim=32, num_experts=4), FEATURES, wrap=Tensors)
    yield row("soft_moe_pytorch:SoftMoE", dict(dim=32, seq_len=16, num_experts=4), FEATURES)
    yield row("soft_moe_pytorch:DynamicSlotsSoftMoE", dict(dim=32, num_experts=4, geglu=True), FEATURES)
    yield row("isab_pytorch:ISAB", dict(dim=32, heads=4, num_latents=4, latent_self_attend=True), FEATURES)
    yield row("slot_attention:SlotAttention", dict(num_slots=4, dim=32, iters=3), FEATURES)
    yield row("slot_attention:MultiHeadSlotAttention", dict(num_slots=4, dim=32, heads=2, dim_head=16, iters=2), FEATURES)
    yield row("colt5_attention:ConditionalRoutedFeedForward", dict(dim=32, num_heavy_tokens=8), FEATURES)
    yield row("colt5_attention:ConditionalRoutedAttention", dict(dim=32, num_heavy_tokens_q=8, num_heavy_tokens_kv=8, light_window_size=8, light_heads=2, heavy_heads=2), FEATURES)
    yield row("taylor_series_linear_attention:TaylorSeriesLinearAttn", dict(dim=32, dim_head=8, heads=2, gate_value_heads=True), FEATURES)
    yield row("taylor_series_linear_attention:TaylorSeriesLinearAttn", dict(dim=32, dim_head=8, heads=2, causal=True), FEATURES, "TaylorSeriesLinearAttn causal")
    yield row("agent_attention_pytorch:AgentTransformer", dict(dim=32, num_agent_tokens=4, depth=2, heads=2, dim_head=16), FEATURES)
    yield row("bidirectional_cross_attention:BidirectionalCrossAttentionTransformer", dict(dim=32, depth=2, context_dim=24), lambda: (torch.randn(2, 16, 32), torch.randn(2, 10, 24)))
    yield row("memory_efficient_attention_pytorch:Attention", dict(dim=32, heads=2, dim_head=16, memory_efficient=True, q_bucket_size=8, k_bucket_size=8), FEATURES)
    yield row("memory_efficient_attention_pytorch:CosineSimAttention", dict(dim=32, seq_len=16, heads=2, dim_head=16), FEATURES)
    yield row("memory_efficient_attention_pytorch:FlashAttention", dict(dim=32, heads=2, dim_head=16, causal=True, q_bucket_size=8, k_bucket_size=8), FEATURES)
    yield row("vector_quantize_pytorch:VectorQuantize", dict(dim=16, codebook_size=32), image(2, 8, 16))
    yield row("vector_quantize_pytorch:FSQ", dict(levels=[8, 5, 5]), image(2, 8, 3))
    yield row("vector_quantize_pytorch:LFQ", dict(codebook_size=16, dim=8), image(2, 8, 8), wrap=Tensors)
    yield row("vector_quantize_pytorch:ResidualVQ", dict(dim=16, num_quantizers=3, codebook_size=32), image(2, 8, 16))
    yield row("rotary_embedding_torch:RotaryEmbedding", dict(dim=16), image(2, 4, 8, 16), wrap=lambda m: Tensors(m, "rotate_queries_or_keys"))
    yield row("x_mlps_pytorch:MLP", {}, image(2, 16), arguments=(16, 32, 8))
    yield row("entmax:Entmax15", {}, image(4, 10))
    yield row("entmax:Sparsemax", dict(k=4), image(4, 10))
    yield row("entmax:EntmaxBisect", dict(n_iter=8), image(4, 10))
    yield row("entmax:SparsemaxLoss", {}, lambda: (torch.randn(4, 10), torch.tensor([1, 2, 3, -100])))
    yield row("positional_encodings.torch_encodings:PositionalEncoding1D", dict(channels=10), image(2, 6, 10))
    yield row("positional_encodings.torch_encodings:PositionalEncoding2D", dict(channels=10), image(2, 6, 4, 10))
    yield row("positional_encodings.torch_encodings:PositionalEncodingPermute3D", dict(channels=11), image(2, 11, 4, 3, 5))


def recurrent():
    yield row("minGRU_pytorch:minGRU", dict(dim=32, expansion_factor=1.5), FEATURES)
    yield "mambapy", "Mamba", mamba, FEATURES
    yield row("pytorch_tcn:TCN", dict(num_inputs=6, num_channels=[8, 8, 16], kernel_size=3, use_skip_connections=True), image(2, 6, 20))
    yield row("pytorch_tcn:TCN", dict(num_inputs=6, num_channels=[8, 8], causal=False, use_norm="batch_norm", activation="leaky_relu", use_gate=True, input_shape="NLC"), image(2, 20, 6), "TCN gated")
    yield row("conv_lstm:ConvLSTM", dict(input_dim=3, hidden_dim=[4, 4], kernel_size=(3, 3), num_layers=2), image(2, 4, 3, 8, 8))
    yield row("torchcrf:CRF", dict(num_tags=5, batch_first=True), lambda: (torch.randn(2, 6, 5), torch.randint(0, 5, (2, 6))))
    for name, options in dict(Leaky=dict(beta=0.9), Synaptic=dict(alpha=0.9, beta=0.8), Alpha=dict(alpha=0.9, beta=0.8), Lapicque=dict(beta=0.5),
                              RLeaky=dict(beta=0.9, linear_features=8), LeakyParallel=dict(input_size=8, hidden_size=6), SLSTM=dict(input_size=8, hidden_size=6)).items():
        yield row(f"snntorch:{name}", options, image(5, 4, 8) if name == "LeakyParallel" else image(4, 8))
    yield row("snntorch:SConv2dLSTM", dict(in_channels=2, out_channels=3, kernel_size=3, max_pool=2), image(2, 2, 8, 8))
    for name, options in TSAI.items():
        yield row(f"tsai.models.{name.split(':')[0]}:{name.split(':')[1]}", options, image(4, 3, 40))


TSAI = {
    "FCN:FCN": dict(c_in=3, c_out=4), "InceptionTime:InceptionTime": dict(c_in=3, c_out=4, nf=8), "ResNet:ResNet": dict(c_in=3, c_out=4),
    "XceptionTime:XceptionTime": dict(c_in=3, c_out=4, nf=4), "RNN:LSTM": dict(c_in=3, c_out=4, hidden_size=16), "RNN:GRU": dict(c_in=3, c_out=4, hidden_size=16, bidirectional=True),
    "RNN_FCN:LSTM_FCN": dict(c_in=3, c_out=4, seq_len=40, hidden_size=16), "TST:TST": dict(c_in=3, c_out=4, seq_len=40, d_model=32, n_heads=4, d_ff=48, n_layers=2),
    "TCN:TCN": dict(c_in=3, c_out=4, layers=[8, 8]), "OmniScaleCNN:OmniScaleCNN": dict(c_in=3, c_out=4, seq_len=40, layers=[32 * 4, 5 * 16 * 2]),
    "PatchTST:PatchTST": dict(c_in=3, c_out=None, seq_len=40, pred_dim=8, n_layers=2, n_heads=4, d_model=16, d_ff=32, patch_len=8, stride=4), "MLP:MLP": dict(c_in=3, c_out=4, seq_len=40, layers=[16, 16]),
    "gMLP:gMLP": dict(c_in=3, c_out=4, seq_len=40, patch_size=4, d_model=16, d_ffn=32, depth=2), "XCM:XCM": dict(c_in=3, c_out=4, seq_len=40, nf=8),
    "ResCNN:ResCNN": dict(c_in=3, c_out=4), "XResNet1d:xresnet1d18": dict(c_in=3, c_out=4), "TSiTPlus:TSiTPlus": dict(c_in=3, c_out=4, seq_len=40, d_model=16, depth=2, n_heads=2),
    "mWDN:mWDN": dict(c_in=3, c_out=4, seq_len=40, levels=2), "TransformerModel:TransformerModel": dict(c_in=3, c_out=4, d_model=16, n_head=2, d_ffn=32, n_layers=1),
    "ConvTranPlus:ConvTranPlus": dict(c_in=3, c_out=4, seq_len=40, d_model=16, n_heads=2, dim_ff=32),
}


def mamba():
    from mambapy.mamba import Mamba, MambaConfig
    return Mamba(MambaConfig(d_model=32, n_layers=1))
