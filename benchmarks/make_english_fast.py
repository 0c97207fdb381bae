"""Make the fast model: a small encoder cut out of e5-small, a student of `english` on it, its export and its
temperatures.

    python benchmarks/make_english_fast.py GUM TEXTS ENCODERS -o RUNS [--teacher english] [--threads N] [--dtype float32]

TEXTS and ENCODERS are as for `make_english.py`; the teacher is an installed model or the folder of one. The run goes on
where it was if this is started again. The model is RUNS/english-fast/shipped.
"""

from make_english import TEXTS, arguments, rhetree, script, settings_for_all, train
from rhetree.runtime.installed import find_model


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--teacher", default="english")
    args = parser.parse_args()
    texts = [str(args.texts / name) for name in TEXTS]
    encoder, folder = args.output / "e5-fast", args.output / "english-fast"
    if not encoder.is_dir():
        script("small_encoder.py", str(args.encoders / "e5-small"), str(encoder), str(args.gum), *texts)
    train(
        "english-fast",
        folder,
        *settings_for_all(args),
        f"network.embedding.path={encoder}",
        f"distillation.teachers={[str(find_model(args.teacher))]}",
        f"distillation.texts={texts}",
    )
    shipped = str(folder / "shipped")
    rhetree("export", str(folder / "model"), "-o", shipped)
    script("calibrate.py", shipped, str(args.gum), "--write")


if __name__ == "__main__":
    main()
