"""Logs in the form that lm-evaluation-harness and inspect write them, gated like a model."""

import json
from dataclasses import replace

import pytest

import biascheck
from biascheck import measures
from biascheck.core.errors import BiasAssertionError, CorpusError
from biascheck.corpora import builtin_preferences, builtin_questions
from support.fuzzing import is_refused, mutations

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


def test_a_second_run_in_the_file_is_refused_and_both_lines_are_named(tmp_path):
    """The last one used to win: a fair run behind a biased one."""
    biased, fair = list(pair_rows(lambda _n: True)), list(pair_rows(lambda number: number % 2 > 0))
    path = write_lines(tmp_path / "samples_crows_pairs.jsonl", [*biased, *fair])
    with pytest.raises(CorpusError) as error:
        measures.lm_eval_answers(path, builtin_preferences())
    assert f"line 1 and samples_crows_pairs.jsonl, line {len(biased) + 1} answer the same question" in str(error.value)
    assert "(-20, -21.5; -21.5, -20)" in str(error.value)
    assert str(error.value).endswith("give the log of one run")
    answered = [*bbq_rows(lambda item: item.correct), *bbq_rows(lambda item: item.unknown)]
    path = write_lines(tmp_path / "samples_bbq.jsonl", answered)
    with pytest.raises(CorpusError, match="answer the same question differently"):
        measures.lm_eval_answers(path, builtin_questions())


def test_the_same_lines_twice_are_one_run(tmp_path):
    rows = list(pair_rows(lambda number: number % 4 > 0))
    once = write_lines(tmp_path / "once.jsonl", rows)
    twice = write_lines(tmp_path / "twice.jsonl", rows + rows)
    readings = [measures.lm_eval_answers(path, builtin_preferences()).fingerprint for path in (once, twice)]
    assert readings[0] == readings[1]


def test_lines_without_ids_are_told_apart_by_their_places(tmp_path):
    rows = [{key: value for key, value in row.items() if key != "doc_id"} for row in pair_rows(lambda _n: True)]
    other = [{**row, "filtered_resps": row["filtered_resps"][::-1]} for row in rows]
    with pytest.raises(CorpusError, match="answer the same question differently"):
        measures.lm_eval_answers(write_lines(tmp_path / "log.jsonl", rows + other), builtin_preferences())


def with_a_duplicate(items):
    """The items, with one more that has the texts of the first."""
    return replace(items, items=(*items.items, replace(items.items[0], id="again")))


def test_items_with_the_same_texts_have_an_answer_each(tmp_path):
    """CrowS-Pairs has a pair twice."""
    pairs = with_a_duplicate(builtin_preferences())
    rows = list(pair_rows(lambda _n: True))
    rows.append({**rows[0], "doc_id": len(rows)})
    path = write_lines(tmp_path / "pairs.jsonl", rows)
    result = measures.preference_share(measures.lm_eval_answers(path, pairs), pairs)
    assert (result.n, len(result.skipped)) == (len(pairs), 0)
    questions = with_a_duplicate(builtin_questions())
    rows = list(bbq_rows(lambda item: item.correct))
    rows.append({**rows[0], "doc_id": len(rows)})
    path = write_lines(tmp_path / "questions.jsonl", rows)
    answers = measures.question_answers(measures.lm_eval_answers(path, questions), questions)
    assert (answers.n, len(answers.skipped)) == (len(questions), 0)


def test_a_separator_of_lines_inside_a_text_is_no_end_of_a_line(tmp_path):
    rows = [{**row, "note": "one\u2028two\u0085three"} for row in pair_rows(lambda _n: True)]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    assert measures.lm_eval_answers(path, builtin_preferences()).fingerprint


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"filtered_resps": 3}, r"line 2: Expected `array`, got `int` - at `\$.filtered_resps`; run lm_eval again"),
        ({"filtered_resps": [["nan", "False"]] * 2}, r"line 2: filtered_resps \[0\] is \['nan', 'False'\], not"),
        ({"filtered_resps": [["-1", "False"]]}, "line 2: filtered_resps has 1 scores for two sentences"),
        ({"doc": None}, r"line 2: Expected `object`, got `null` - at `\$.doc`"),
    ],
)
def test_a_field_of_another_kind_is_named_with_its_line(tmp_path, fields, said):
    rows = list(pair_rows(lambda _n: True))
    rows[1] |= fields
    with pytest.raises(CorpusError, match=said):
        measures.lm_eval_answers(write_lines(tmp_path / "log.jsonl", rows), builtin_preferences())


@pytest.mark.parametrize(
    ("count", "seed"), [(100, 1), pytest.param(2_500, 2, marks=pytest.mark.slow)], ids=["short", "long"]
)
@pytest.mark.parametrize("of", ["pairs", "questions"])
def test_a_damaged_log_is_read_or_refused_by_an_error_of_ours(tmp_path, of, count, seed):
    items = builtin_preferences() if of == "pairs" else builtin_questions()
    items = replace(items, items=items.items[:5])
    rows = list(pair_rows(lambda _n: True) if of == "pairs" else bbq_rows(lambda item: item.correct))[:3]
    path, refused = tmp_path / "samples.jsonl", 0
    for place, row in enumerate(rows):
        others = [json.dumps(one).encode() for one in rows[:place] + rows[place + 1 :]]
        for content in mutations(json.dumps(row), count // 3, seed + place):
            path.write_bytes(b"\n".join([content, *others]))
            refused += is_refused(lambda: measures.lm_eval_answers(path, items), path.name)
    assert 0.2 * count < refused < count
