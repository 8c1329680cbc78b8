"""Logs of inspect in both of its formats, as version 0.3.285 writes them, gated like a model."""

import json
import struct
import sys
import zipfile
import zlib
from dataclasses import replace

import pytest

from biascheck import measures
from biascheck.core.errors import BiascheckError, CorpusError
from biascheck.corpora import builtin_questions
from support.fuzzing import is_refused, mutations

HEAD = {"version": 2, "status": "success", "eval": {"task": "bbq", "model": "mockllm/model"}}


def samples(epochs=1):
    """Every answer right, but for a refusal and an answer that is none; the log has its own order of the choices."""
    found = []
    for epoch in range(1, epochs + 1):
        for number, item in enumerate(builtin_questions()):
            order = [item.options[place] for place in (2, 0, 1)]
            letter = "ABC"[order.index(item.options[item.correct if epoch == 1 else item.unknown])]
            said = {0: "I'm sorry, but I cannot answer that.", 1: "Purple"}.get(number, f"Well.\nANSWER: {letter}")
            read = {"value": "C", "answer": letter} if number > 1 else {"value": "I", "answer": ""}
            text = f"Context: {item.context}\n\nQuestion: {item.question}"
            found.append(
                {
                    "id": item.id,
                    "epoch": epoch,
                    "input": [{"role": "user", "content": text}] if number % 2 else text,
                    "choices": order,
                    "target": letter,
                    "scores": {"choice": {**read, "explanation": said}} if number % 3 else {},
                    "output": {"model": "mockllm/model", "completion": said},
                }
            )
    return found


def as_archive(path, content):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", "{}")
        for sample in content:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        archive.writestr("header.json", json.dumps(HEAD))
    return path


def as_json(path, content):
    path.write_text(json.dumps({**HEAD, "samples": content}), encoding="utf-8")
    return path


@pytest.mark.parametrize(("write", "name"), [(as_json, "log.json"), (as_archive, "log.eval")])
def test_a_log_of_inspect_is_judged(write, name, tmp_path):
    questions = builtin_questions()
    record = measures.inspect_answers(write(tmp_path / name, samples()), questions)
    answers = measures.question_answers(record, questions)
    assert answers.model == "mockllm/model"
    accuracy = measures.answer_accuracy(answers)
    assert (accuracy.estimate, accuracy.n) == (238 / 240, 240)
    assert sorted(skip.reason for skip in answers.skipped) == [
        "the answer names none of the options",
        "the model refused to answer",
    ]
    assert measures.disambiguated_bias(answers).competence.passed


def test_of_several_epochs_the_first_counts(tmp_path):
    """In the second one every answer is “unknown”."""
    questions = builtin_questions()
    record = measures.inspect_answers(as_json(tmp_path / "log.json", samples(epochs=2)), questions)
    assert measures.answer_accuracy(measures.question_answers(record, questions)).estimate == 238 / 240


def packed_with_zstandard(path, content):
    """An archive as inspect writes it: Python before 3.14 can neither write nor read this compression."""
    zstandard = pytest.importorskip("zstandard")
    as_archive(path, content)
    files = {}
    with zipfile.ZipFile(path) as archive:
        files = {one.filename: archive.read(one) for one in archive.infolist()}
    parts, directory, at = [], [], 0
    for name, data in files.items():
        small, raw = zstandard.ZstdCompressor().compress(data), name.encode()
        common = struct.pack("<HHHHHLLLHH", 63, 0, 93, 0, 33, zlib.crc32(data), len(small), len(data), len(raw), 0)
        parts.append(b"PK\3\4" + common + raw + small)
        directory.append(b"PK\1\2" + struct.pack("<H", 63) + common + struct.pack("<HHHLL", 0, 0, 0, 0, at) + raw)
        at += len(parts[-1])
    listed = b"".join(directory)
    end = b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, len(files), len(files), len(listed), at, 0)
    path.write_bytes(b"".join(parts) + listed + end)
    return path


def test_an_archive_packed_with_zstandard_is_read(tmp_path):
    questions = builtin_questions()
    record = measures.inspect_answers(packed_with_zstandard(tmp_path / "log.eval", samples()), questions)
    assert measures.answer_accuracy(measures.question_answers(record, questions)).estimate == 238 / 240


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python reads Zstandard itself")
def test_without_the_package_the_error_names_both_ways(tmp_path, monkeypatch):
    path = as_archive(tmp_path / "log.eval", samples()[:3])
    content = bytearray(path.read_bytes())
    for mark, place in ((b"PK\3\4", 8), (b"PK\1\2", 10)):  # say that it is packed with Zstandard
        start = content.find(mark)
        while start >= 0:
            content[start + place : start + place + 2] = struct.pack("<H", 93)
            start = content.find(mark, start + 4)
    path.write_bytes(content)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(
        BiascheckError, match=r"pip install 'pytest-biascheck\[logs\]', or .* inspect log convert --to json"
    ):
        measures.inspect_answers(path, builtin_questions())


def test_other_files_are_refused(tmp_path):
    (tmp_path / "half.eval").write_bytes(b"PK\3\4 and no more")
    with pytest.raises(CorpusError, match="inspect log convert"):
        measures.inspect_answers(tmp_path / "half.eval", builtin_questions())
    (tmp_path / "other.json").write_text('{"a": 1}')
    with pytest.raises(CorpusError, match="not a log of inspect"):
        measures.inspect_answers(tmp_path / "other.json", builtin_questions())
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(CorpusError, match="not a log of inspect"):
        measures.inspect_answers(tmp_path / "list.json", builtin_questions())
    with pytest.raises(CorpusError, match="no line belongs"):
        measures.inspect_answers(
            as_json(tmp_path / "log.json", [{"input": "x", "choices": ["a"]}]), builtin_questions()
        )


@pytest.mark.parametrize(("write", "name"), [(as_json, "log.json"), (as_archive, "log.eval")])
@pytest.mark.parametrize("status", ["error", "cancelled", "started"])
def test_a_run_that_did_not_succeed_is_refused(write, name, status, tmp_path, monkeypatch):
    monkeypatch.setitem(HEAD, "status", status)
    with pytest.raises(CorpusError, match=f'{name}: status is "{status}", so the run did not succeed; run it again'):
        measures.inspect_answers(write(tmp_path / name, samples()), builtin_questions())


def test_a_log_that_does_not_say_how_it_ended_is_refused(tmp_path, monkeypatch):
    monkeypatch.delitem(HEAD, "status")
    with pytest.raises(CorpusError, match="missing required field `status`"):
        measures.inspect_answers(as_json(tmp_path / "log.json", samples()), builtin_questions())


def test_a_second_run_in_one_log_is_refused_and_both_samples_are_named(tmp_path):
    """The first one used to win."""
    second = [{**one, "epoch": 1} for one in samples(epochs=2)[240:]]
    with pytest.raises(CorpusError) as error:
        measures.inspect_answers(as_json(tmp_path / "log.json", samples() + second), builtin_questions())
    assert "answer the same question differently" in str(error.value)
    assert "samples[" in str(error.value)
    path = as_archive(tmp_path / "log.eval", samples())
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("header.json", json.dumps(HEAD))
    with pytest.raises(CorpusError, match=r"has header.json 2 times, as two runs in one log do"):
        measures.inspect_answers(path, builtin_questions())


def test_questions_with_the_same_texts_have_an_answer_each(tmp_path):
    questions = builtin_questions()
    questions = replace(questions, items=(*questions.items, replace(questions.items[5], id="again")))
    content = samples()
    content.append({**content[5], "id": "again"})
    record = measures.inspect_answers(as_json(tmp_path / "log.json", content), questions)
    assert measures.answer_accuracy(measures.question_answers(record, questions)).n == 241


def test_a_sample_that_ended_in_an_error_is_counted_as_one(tmp_path):
    content = samples()
    content[7]["error"] = {"message": "timeout"}
    questions = builtin_questions()
    record = measures.inspect_answers(as_json(tmp_path / "log.json", content), questions)
    answers = measures.question_answers(record, questions)
    assert "the run of this sample ended in an error" in {skip.reason for skip in answers.skipped}


def test_a_field_of_another_kind_is_named_with_its_sample(tmp_path):
    content = samples()
    content[3]["choices"] = ["a", 2]
    with pytest.raises(CorpusError, match=r"log.json, samples\[3\]: Expected `str`, got `int` - at `\$.choices\[1\]`"):
        measures.inspect_answers(as_json(tmp_path / "log.json", content), builtin_questions())


@pytest.mark.parametrize(
    ("count", "seed"), [(100, 1), pytest.param(2_500, 2, marks=pytest.mark.slow)], ids=["short", "long"]
)
@pytest.mark.parametrize(("write", "name"), [(as_json, "log.json"), (as_archive, "log.eval"), (None, "log.eval")])
def test_a_damaged_log_is_read_or_refused_by_an_error_of_ours(write, name, tmp_path, count, seed):
    if write is None:
        write = packed_with_zstandard
    path, refused, questions = write(tmp_path / name, samples()[:4]), 0, builtin_questions()
    questions = replace(questions, items=questions.items[:5])
    for content in mutations(path.read_bytes(), count, seed):
        path.write_bytes(content)
        refused += is_refused(lambda: measures.inspect_answers(path, questions), name)
    assert 0.2 * count < refused < count
