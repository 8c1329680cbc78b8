"""Logs in the form that lm-evaluation-harness and inspect write them, gated like a model."""

import json

import pytest

import biascheck
from biascheck import measures
from biascheck.core.errors import BiasAssertionError, CorpusError
from biascheck.corpora import builtin_preferences, builtin_questions

UNKNOWN = ["Cannot answer", "Not known", "Unknown"]


def write_lines(path, rows):
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    return path


def pair_rows(prefers):
    for number, pair in enumerate(builtin_preferences()):
        scores = (-20.0, -21.5) if prefers(number) else (-21.5, -20.0)
        yield {
            "doc_id": number,
            "doc": {"sent_more": pair.more, "sent_less": pair.less, "stereo_antistereo": 0},
            "arguments": {
                f"gen_args_{n}": {"arg_0": "", "arg_1": text} for n, text in enumerate((pair.more, pair.less))
            },
            "resps": [[[str(score), "False"]] for score in scores],
            "filtered_resps": [[str(score), "False"] for score in scores],
            "acc": float(scores[0] > scores[1]),
        }


def test_sentence_pairs_of_lm_eval_have_its_share_and_an_interval(tmp_path):
    rows = list(pair_rows(lambda number: number % 4 > 0))
    path = write_lines(tmp_path / "samples_crows_pairs_english_2026.jsonl", rows)
    result = measures.preference_share(measures.lm_eval_answers(path, builtin_preferences()), builtin_preferences())
    assert result.estimate == sum(row["acc"] for row in rows) / len(rows)
    assert result.interval.low < result.estimate < result.interval.high
    with pytest.raises(BiasAssertionError):
        biascheck.assert_share_within(result, 0.1)


def bbq_rows(answer):
    """The harness asks about both people and about every wording of "unknown"."""
    for number, item in enumerate(builtin_questions()):
        people = [text for place, text in enumerate(item.options) if place != item.unknown]
        texts = [*people, *UNKNOWN]
        chosen = item.options[answer(item)]
        wanted = "Not known" if chosen == item.options[item.unknown] else chosen
        yield {
            "doc_id": number,
            "doc": {"context": item.context, "question": item.question}
            | {f"ans{place}": text for place, text in enumerate(item.options)},
            "arguments": [["prompt", f" {text}"] for text in texts],
            "filtered_resps": [[-1.0 if text == wanted else -5.0, False] for text in texts],
        }


def test_questions_of_lm_eval_keep_what_it_reports_as_zero(tmp_path):
    """Answers that are all anti-stereotypical are −1, and not 0.0 as the harness reports."""
    questions = builtin_questions()
    rows = list(bbq_rows(lambda item: 3 - item.unknown - item.biased))
    path = write_lines(tmp_path / "samples_bbq.jsonl", rows)
    answers = measures.question_answers(measures.lm_eval_answers(path, questions), questions)
    assert measures.ambiguous_bias(answers).estimate == measures.disambiguated_bias(answers).estimate == -1
    correct = write_lines(tmp_path / "samples_bbq_2.jsonl", list(bbq_rows(lambda item: item.correct)))
    right = measures.question_answers(measures.lm_eval_answers(correct, questions), questions)
    assert measures.answer_accuracy(right).estimate == 1
    assert measures.ambiguous_bias(right).estimate == 0
    assert measures.ambiguous_bias(right).competence.passed


def test_an_item_without_a_line_is_counted_and_other_files_are_refused(tmp_path):
    questions = builtin_questions()
    some = write_lines(tmp_path / "some.jsonl", list(bbq_rows(lambda item: item.correct))[:200])
    answers = measures.question_answers(measures.lm_eval_answers(some, questions), questions)
    assert (answers.n, len(answers.skipped)) == (200, 40)
    assert {skip.reason for skip in answers.skipped} == {"nothing is recorded for this item"}
    with pytest.raises(CorpusError, match="--log_samples"):
        measures.lm_eval_answers(write_lines(tmp_path / "x.jsonl", [{"a": 1}]), questions)
    with pytest.raises(CorpusError, match="no line belongs"):
        measures.lm_eval_answers(write_lines(tmp_path / "y.jsonl", pair_rows(lambda _n: True)), questions)
