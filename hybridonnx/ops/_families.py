# Written by scripts/stubs; do not edit.
"""Which family has each operator, by its names: others need not be loaded for it."""

_NAMES = {
    "_composition": """
_composition_grad
    """,
    "activation": """
Activation LeakyReLU _npx_activation _npx_leaky_relu _prelu_slope
    """,
    "along": """
_along_axis _scale_shift
    """,
    "attention": """
_contrib_interleaved_matmul_encdec_qk _contrib_interleaved_matmul_encdec_valatt
_contrib_interleaved_matmul_selfatt_qk _contrib_interleaved_matmul_selfatt_valatt _merge_heads _split_heads
    """,
    "binary": """
ElementWiseSum _Div _Hypot _Maximum _Minimum _Minus _Mod _Mul _Plus _Power _add _div _grad_add _hypot
_identity_with_attr_like_rhs _maximum _minimum _minus _mod _mul _npi_maximum _npi_minimum _plus _power
_power_log _scatter_elemwise_div _sparse_ElementWiseSum _sparse_add_n _sparse_broadcast_add
_sparse_broadcast_div _sparse_broadcast_minus _sparse_broadcast_mul _sparse_broadcast_plus
_sparse_broadcast_sub _sparse_elemwise_add _sparse_elemwise_div _sparse_elemwise_mul _sparse_elemwise_sub _sub
add_n broadcast_add broadcast_div broadcast_hypot broadcast_maximum broadcast_minimum broadcast_minus
broadcast_mod broadcast_mul broadcast_plus broadcast_power broadcast_sub elemwise_add elemwise_div
elemwise_mul elemwise_sub
    """,
    "box": """
_contrib_bipartite_matching _contrib_box_decode _contrib_box_encode _contrib_box_iou _contrib_box_nms
_contrib_box_non_maximum_suppression _non_max_suppression
    """,
    "cast": """
Cast _cast_like _npi_cast _npx_cast _widened _zero_of_integers amp_cast amp_multicast cast
    """,
    "columns": """
_im2col_grad col2im im2col
    """,
    "compare": """
_Equal _EqualScalar _Greater _GreaterEqualScalar _GreaterScalar _Greater_Equal _Lesser _LesserEqualScalar
_LesserScalar _Lesser_Equal _LogicalAndScalar _LogicalOrScalar _LogicalXorScalar _Logical_And _Logical_Or
_Logical_Xor _NotEqualScalar _Not_Equal _contrib_allclose _equal _equal_scalar _greater _greater_equal
_greater_equal_scalar _greater_scalar _lesser _lesser_equal _lesser_equal_scalar _lesser_scalar _logical_and
_logical_and_scalar _logical_or _logical_or_scalar _logical_xor _logical_xor_scalar _not_equal
_not_equal_scalar broadcast_equal broadcast_greater broadcast_greater_equal broadcast_lesser
broadcast_lesser_equal broadcast_logical_and broadcast_logical_or broadcast_logical_xor broadcast_not_equal
    """,
    "control": """
_cond _foreach _open_cond _open_while_loop _while_loop
    """,
    "conv": """
Convolution Convolution_v1 Deconvolution _conv_data_grad _conv_weight_grad _deconv_data_grad
_deconv_weight_grad _npx_convolution _npx_deconvolution
    """,
    "correlation": """
Correlation _correlation_grad _correlation_slope
    """,
    "create": """
_arange _eye _full _linspace _npi_full _npi_linspace _ones _zeros _zeros_without_dtype
    """,
    "ctc": """
CTCLoss _contrib_CTCLoss _contrib_ctc_loss _ctc_grad ctc_loss
    """,
    "custom": """
Custom _npi_Custom
    """,
    "cvimage": """
_cvcopyMakeBorder _cvimdecode _cvimread _cvimresize _npi_cvimdecode _npi_cvimread _npi_cvimresize
    """,
    "decomposition": """
_inverse_or_zeros _linalg_det _linalg_gelqf _linalg_inverse _linalg_potrf _linalg_potri _linalg_slogdet
_linalg_syevd _npi_inv linalg_det linalg_gelqf linalg_inverse linalg_potrf linalg_potri linalg_slogdet
    """,
    "deformable": """
_contrib_DeformableConvolution _contrib_ModulatedDeformableConvolution _deformable_columns
_deformable_columns_grad
    """,
    "dense": """
FullyConnected _dot_lhs_grad _dot_rhs_grad _npx_batch_dot _npx_fully_connected _sparse_FullyConnected
_sparse_dot batch_dot dot
    """,
    "density": """
_random_pdf_dirichlet _random_pdf_exponential _random_pdf_gamma _random_pdf_generalized_negative_binomial
_random_pdf_negative_binomial _random_pdf_normal _random_pdf_poisson _random_pdf_uniform _repeat_behind
_sum_behind random_pdf_dirichlet random_pdf_exponential random_pdf_gamma
random_pdf_generalized_negative_binomial random_pdf_negative_binomial random_pdf_normal random_pdf_poisson
random_pdf_uniform
    """,
    "dropout": """
Dropout _npx_dropout
    """,
    "fill": """
_onehot_encode _set_value fill_element_0index
    """,
    "fourier": """
_contrib_count_sketch _contrib_fft _contrib_ifft _count_sketch_grad
    """,
    "hawkes": """
_contrib_hawkesll _hawkesll_grad
    """,
    "histogram": """
_contrib_calibrate_entropy _histogram _npi_histogram
    """,
    "image": """
_image_adjust_lighting _image_crop _image_flip_left_right _image_flip_top_bottom _image_normalize
_image_random_brightness _image_random_color_jitter _image_random_contrast _image_random_flip_left_right
_image_random_flip_top_bottom _image_random_hue _image_random_lighting _image_random_saturation _image_resize
_image_to_tensor _npx__image_adjust_lighting _npx__image_crop _npx__image_flip_left_right
_npx__image_flip_top_bottom _npx__image_normalize _npx__image_random_brightness
_npx__image_random_color_jitter _npx__image_random_contrast _npx__image_random_flip_left_right
_npx__image_random_flip_top_bottom _npx__image_random_hue _npx__image_random_lighting
_npx__image_random_saturation _npx__image_resize _npx__image_to_tensor
    """,
    "index": """
Embedding _boolean_mask_grad _contrib_boolean_mask _contrib_index_copy _gather_nd_grad _npi_boolean_mask
_npi_gather_nd _npi_scatter_set_nd _npi_take _npx_embedding _npx_gather_nd _npx_one_hot _npx_pick _pick_grad
_put_along_axis _ravel_multi_index _scatter_set_nd _sparse_Embedding _sparse_where _take_along_axis _take_grad
_unravel_index batch_take choose_element_0index gather_nd one_hot pick ravel_multi_index scatter_nd take
unravel_index where
    """,
    "join": """
Concat SliceChannel _npi_split _sparse_concat _split_like _split_v2 concat split stack
    """,
    "linalg": """
_linalg_gemm _linalg_gemm2 _linalg_syrk _linalg_trmm _linalg_trsm khatri_rao linalg_gemm linalg_gemm2
linalg_syrk linalg_trmm linalg_trsm
    """,
    "loss": """
IdentityAttachKLSparseReg LinearRegressionOutput LogisticRegressionOutput MAERegressionOutput SVMOutput
Softmax SoftmaxOutput _one_hot_like _softmax_output_gradient _sparse_LinearRegressionOutput
_sparse_LogisticRegressionOutput _sparse_MAERegressionOutput softmax_cross_entropy
    """,
    "multi_update": """
_multi_adamw_update _multi_lamb_update _multi_mp_adamw_update _multi_mp_lamb_update all_finite
multi_all_finite multi_lars multi_mp_sgd_mom_update multi_mp_sgd_update multi_sgd_mom_update multi_sgd_update
multi_sum_sq preloaded_multi_mp_sgd_mom_update preloaded_multi_mp_sgd_update preloaded_multi_sgd_mom_update
preloaded_multi_sgd_update reset_arrays
    """,
    "multibox": """
_contrib_MultiBoxDetection _contrib_MultiBoxPrior _contrib_MultiBoxTarget _npx_multibox_detection
_npx_multibox_prior _npx_multibox_target
    """,
    "norm": """
BatchNorm BatchNorm_v1 GroupNorm InstanceNorm L2Normalization LRN LayerNorm _channel_window_sum
_contrib_BatchNormWithReLU _contrib_SyncBatchNorm _count _npx_batch_norm _npx_layer_norm
    """,
    "np_binary": """
_npi_add _npi_arctan2 _npi_bitwise_and _npi_bitwise_or _npi_bitwise_xor _npi_copysign _npi_hypot _npi_lcm
_npi_ldexp _npi_mod _npi_multiply _npi_power _npi_subtract _npi_true_divide
    """,
    "np_compare": """
_npi_equal _npi_equal_scalar _npi_greater _npi_greater_equal _npi_greater_equal_scalar _npi_greater_scalar
_npi_less _npi_less_equal _npi_less_equal_scalar _npi_less_scalar _npi_not_equal _npi_not_equal_scalar
    """,
    "np_create": """
_npi_arange _npi_blackman _npi_eye _npi_hamming _npi_hanning _npi_identity _npi_indices _npi_logspace
_npi_ones _npi_zeros
    """,
    "np_dense": """
_einsum _np_dot _npi_einsum _npi_matmul _npi_tensordot _npi_tensordot_int_axes
    """,
    "np_index": """
_npi_diag_indices_from _npi_where _npi_where_lscalar _npi_where_rscalar _npi_where_scalar2
    """,
    "np_join": """
_npi_column_stack _npi_concatenate _npi_dsplit _npi_dstack _npi_hsplit _npi_hstack _npi_pad _npi_stack
_npi_vstack
    """,
    "np_linalg": """
_npi_cholesky _npi_det _npi_eig _npi_eigh _npi_eigvals _npi_eigvalsh _npi_norm _npi_pinv
_npi_pinv_scalar_rcond _npi_slogdet _npi_solve _npi_svd _npi_tensorinv _npi_tensorsolve _singular_values
_singular_values_gradient _solution
    """,
    "np_random": """
_npi_bernoulli _npi_choice _npi_exponential _npi_gamma _npi_gumbel _npi_logistic _npi_multinomial _npi_normal
_npi_normal_n _npi_pareto _npi_powerd _npi_rayleigh _npi_uniform _npi_uniform_n _npi_weibull
    """,
    "np_reduce": """
_np_all _np_amax _np_amin _np_any _np_max _np_min _np_prod _np_product _np_sometrue _np_sum _npi_argmax
_npi_argmin _npi_average _npi_mean _npi_std _npi_var
    """,
    "np_reshape": """
_np_atleast_1d _np_atleast_2d _np_atleast_3d _np_diag _np_diagflat _np_diagonal _np_moveaxis _np_reshape
_np_roll _np_squeeze _np_trace _np_transpose _npi_broadcast_to _npi_diff _npi_flip _npi_reshape _npi_rot90
_npi_tril _npx_reshape
    """,
    "np_scalar": """
_npi_add_scalar _npi_arctan2_scalar _npi_bitwise_and_scalar _npi_bitwise_or_scalar _npi_bitwise_xor_scalar
_npi_copysign_scalar _npi_lcm_scalar _npi_ldexp_scalar _npi_mod_scalar _npi_multiply_scalar _npi_power_scalar
_npi_rarctan2_scalar _npi_rcopysign_scalar _npi_rldexp_scalar _npi_rmod_scalar _npi_rpower_scalar
_npi_rsubtract_scalar _npi_rtrue_divide_scalar _npi_subtract_scalar _npi_true_divide_scalar
    """,
    "np_select": """
_npi_bincount _npi_delete _npi_ediff1d _npi_insert_scalar _npi_insert_slice _npi_insert_tensor _npi_nonzero
_npi_percentile _npi_polyval _npi_unique _npx_constraint_check _npx_nonzero
    """,
    "np_unary": """
_np_copy _npi_abs _npi_absolute _npi_arccos _npi_arccosh _npi_arcsin _npi_arcsinh _npi_arctan _npi_arctanh
_npi_around _npi_bitwise_not _npi_cbrt _npi_ceil _npi_cos _npi_cosh _npi_degrees _npi_exp _npi_expm1 _npi_fix
_npi_floor _npi_full_like _npi_isfinite _npi_isinf _npi_isnan _npi_isneginf _npi_isposinf _npi_log _npi_log10
_npi_log1p _npi_log2 _npi_logical_not _npi_nan_to_num _npi_negative _npi_radians _npi_reciprocal _npi_rint
_npi_sign _npi_sin _npi_sinh _npi_sqrt _npi_square _npi_tan _npi_tanh _npi_trunc _npx_relu _npx_sigmoid
    """,
    "pad": """
Crop Pad _crop_grad _diag_grad _pad_grad _pad_like diag pad
    """,
    "pool": """
Pooling Pooling_v1 _npx_pooling _pool_grad _pool_pick
    """,
    "proposal": """
_contrib_MultiProposal _contrib_Proposal
    """,
    "psroi": """
_contrib_DeformablePSROIPooling _contrib_PSROIPooling _moved_psroi _moved_psroi_grad _psroi_grad
    """,
    "quantize": """
_contrib_dequantize _contrib_quantize _contrib_quantize_asym _contrib_quantize_v2 _contrib_requantize
    """,
    "quantized": """
_contrib_quantized_act _contrib_quantized_batch_norm _contrib_quantized_concat _contrib_quantized_conv
_contrib_quantized_elemwise_add _contrib_quantized_elemwise_mul _contrib_quantized_embedding
_contrib_quantized_flatten _contrib_quantized_fully_connected _contrib_quantized_pooling
    """,
    "reduce": """
_broadcast_as _sparse_mean _sparse_norm _sparse_sum _spread_like _square_sum _square_sum_grad _sum_like argmax
argmax_channel argmin broadcast_axes broadcast_axis broadcast_like broadcast_to max max_axis mean min min_axis
moments nanprod nansum norm prod sum sum_axis
    """,
    "reshape": """
Flatten Reshape SwapAxis _contrib_arange_like _contrib_index_array _np_repeat _npi_expand_dims _npi_swapaxes
_npi_tile _npx_arange_like _npx_batch_flatten _npx_reshape_like _npx_shape_array depth_to_space expand_dims
flatten flip repeat reshape reshape_like reverse shape_array size_array space_to_depth squeeze swapaxes tile
transpose
    """,
    "resize": """
UpSampling _adaptive_pool_grad _bilinear_resize_grad _contrib_AdaptiveAvgPooling2D _contrib_BilinearResize2D
_upsampling_grad
    """,
    "rnn": """
RNN _npi_rnn_param_concat _npx_rnn _rnn_grad _rnn_param_concat
    """,
    "roi": """
ROIPooling _contrib_ROIAlign _contrib_RROIAlign _npx_roi_pooling _roi_align_grad _roi_pool_grad _roi_pool_pick
    """,
    "sample": """
_multinomial_gradient _npi_random_randint _npi_shuffle _random_exponential _random_exponential_like
_random_gamma _random_gamma_like _random_generalized_negative_binomial
_random_generalized_negative_binomial_like _random_negative_binomial _random_negative_binomial_like
_random_normal _random_normal_like _random_poisson _random_poisson_like _random_randint _random_uniform
_random_uniform_like _sample_exponential _sample_gamma _sample_generalized_negative_binomial
_sample_multinomial _sample_negative_binomial _sample_normal _sample_poisson _sample_uniform _shuffle normal
random_exponential random_gamma random_generalized_negative_binomial random_negative_binomial random_normal
random_poisson random_randint random_uniform sample_exponential sample_gamma
sample_generalized_negative_binomial sample_multinomial sample_negative_binomial sample_normal sample_poisson
sample_uniform shuffle uniform
    """,
    "scalar": """
_DivScalar _HypotScalar _MaximumScalar _MinimumScalar _MinusScalar _ModScalar _MulScalar _PlusScalar
_PowerScalar _RDivScalar _RMinusScalar _RModScalar _RPowerScalar _contrib_gradientmultiplier _div_scalar
_hypot_scalar _maximum_scalar _minimum_scalar _minus_scalar _mod_scalar _mul_scalar _npi_hypot_scalar
_npi_maximum_scalar _npi_minimum_scalar _plus_scalar _power_scalar _rdiv_scalar _rminus_scalar _rmod_scalar
_rpower_log_scalar _rpower_scalar _scatter_minus_scalar _scatter_plus_scalar
    """,
    "scan": """
_np_cumsum cumsum
    """,
    "sequence": """
SequenceLast SequenceMask SequenceReverse _npx_sequence_mask _sequence_last_grad
    """,
    "slice": """
_crop_assign _crop_assign_scalar _npi_slice _npi_slice_assign _npi_slice_assign_scalar _npx_slice
_slice_assign _slice_assign_scalar _slice_axis_grad _slice_grad _sparse_slice crop slice slice_axis slice_like
    """,
    "softmax": """
SoftmaxActivation _npx_log_softmax _npx_softmax log_softmax softmax softmin
    """,
    "sort": """
_npi_argsort _npi_sort _npx_topk _unique argsort sort topk
    """,
    "sparse": """
_contrib_SparseEmbedding _row_sparse_take_grad _sparse_cast_storage _sparse_retain cast_storage
    """,
    "triangle": """
_linalg_extractdiag _linalg_extracttrian _linalg_makediag _linalg_maketrian _linalg_sumlogdiag _triangle
linalg_extractdiag linalg_extracttrian linalg_makediag linalg_maketrian linalg_sumlogdiag
    """,
    "unary": """
BlockGrad MakeLoss _contrib_div_sqrt_dim _contrib_quadratic _contrib_round_ste _contrib_sign_ste _copy _copyto
_npi_clip _npi_copyto _npx_erf _npx_erfinv _npx_gamma _npx_gammaln _npx_smooth_l1 _polygamma
_sparse__contrib_round_ste _sparse__contrib_sign_ste _sparse_abs _sparse_arccos _sparse_arccosh _sparse_arcsin
_sparse_arcsinh _sparse_arctan _sparse_arctanh _sparse_cbrt _sparse_ceil _sparse_clip _sparse_cos _sparse_cosh
_sparse_degrees _sparse_exp _sparse_expm1 _sparse_fix _sparse_floor _sparse_gamma _sparse_gammaln _sparse_log
_sparse_log10 _sparse_log1p _sparse_log2 _sparse_make_loss _sparse_negative _sparse_radians _sparse_relu
_sparse_rint _sparse_round _sparse_rsqrt _sparse_sigmoid _sparse_sign _sparse_sin _sparse_sinh _sparse_sqrt
_sparse_square _sparse_stop_gradient _sparse_tan _sparse_tanh _sparse_trunc _sparse_zeros_like abs arccos
arccosh arcsin arcsinh arctan arctanh cbrt ceil clip cos cosh degrees erf erfinv exp expm1 fix floor gamma
gammaln hard_sigmoid identity log log10 log1p log2 logical_not make_loss negative ones_like radians rcbrt
reciprocal relu rint round rsqrt sigmoid sign sin sinh smooth_l1 softsign sqrt square stop_gradient tan tanh
trunc zeros_like
    """,
    "update": """
_adamw_update _contrib_group_adagrad_update _mp_adamw_update _sparse_adagrad_update _sparse_adam_update
_sparse_ftrl_update _sparse_sgd_mom_update _sparse_sgd_update adam_update ftml_update ftrl_update
lamb_update_phase1 lamb_update_phase2 mp_lamb_update_phase1 mp_lamb_update_phase2 mp_nag_mom_update
mp_sgd_mom_update mp_sgd_update nag_mom_update rmsprop_update rmspropalex_update sgd_mom_update sgd_update
signsgd_update signum_update
    """,
    "warp": """
BilinearSampler GridGenerator SpatialTransformer _bilinear_sampler_grad _bilinear_sampler_slope _grid_grad
    """,
    "zipfian": """
_sample_unique_zipfian
    """,
}
FAMILIES = {name: family for family, names in _NAMES.items() for name in names.split()}
