"""Fine-tune the default model on our own reviews, and measure its bias at every evaluation.

``python measure_while_training.py [STEPS]`` writes ``bias-runs/step-….json``;
``biascheck trend bias-runs/*.json --report trend.html`` draws them.
"""

import sys

from transformers import DataCollatorForLanguageModeling, Trainer, TrainingArguments, set_seed

import biascheck as bc
from biascheck.integrations.trainer import BiasCallback


def check(model):
    """What is asked of every checkpoint: the gate of a single job, by the margin of the suites."""
    result = bc.measures.association(model, bc.corpora.bec_pro().where(template="is-a"))
    bc.assert_typical_gap_below(bc.measures.typical_gap(result), bound=0.36)


def encoded(tokenizer, texts):
    return [{"input_ids": ids} for ids in tokenizer(texts, truncation=True, max_length=64)["input_ids"]]


def train(spec="minilm-mlm", steps=40, folder="bias-runs"):
    """Train with the callback; the trainer is returned."""
    set_seed(0)
    loaded = bc.load(spec)
    model, tokenizer = loaded.torch_model, loaded.tokenizer
    texts = bc.corpora.reviews("train").texts
    arguments = TrainingArguments(
        output_dir="out",
        max_steps=steps,
        per_device_train_batch_size=8,
        learning_rate=2e-4,
        eval_strategy="steps",
        eval_steps=max(steps // 5, 1),
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = Trainer(
        model,
        arguments,
        train_dataset=encoded(tokenizer, texts[64:]),
        eval_dataset=encoded(tokenizer, texts[:64]),
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15),
        callbacks=[BiasCallback(check, tokenizer, on_failure="log", folder=folder, name=spec)],
    )
    trainer.train()
    return trainer


if __name__ == "__main__":
    for entry in train(steps=int(sys.argv[1]) if sys.argv[1:] else 40).state.log_history:
        print({name: round(value, 3) for name, value in entry.items() if not name.endswith((".low", ".high"))})
