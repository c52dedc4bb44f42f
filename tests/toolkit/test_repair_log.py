from __future__ import annotations

import logging
import pathlib
import subprocess
import sys
import threading
from dataclasses import replace
from typing import Any

import log_writer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.toolkit import (
    ParseResult,
    RepairLog,
    RepairRecord,
    ToolMessage,
    ToolRegistry,
    ToolUsageError,
    read_repair_log,
)


class Pay(ToolMessage, name="pay"):
    """Pay an amount."""

    amount: int
    to: str


RIGHT = '{"amount": 3, "to": "Ann"}'
MENDED = '{"amount": "3", "to": "Ann"}'
REFUSED = '{"amount": 3.5, "to": "Ann"}'


def result_of(*arguments: str) -> ParseResult:
    """What a registry without listeners makes of calls."""
    registry = ToolRegistry([Pay])
    items = (registry.parse_call("pay", text, id=f"c{at}").items for at, text in enumerate(arguments))
    return ParseResult(tuple(item for each in items for item in each))


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    """Where the log is written."""
    return tmp_path / "repairs.jsonl"


# ---------------------------------------------------------------------- what is written


def test_what_was_mended_or_refused_is_a_record_and_what_was_right_is_none(path: pathlib.Path) -> None:
    """In the order in which it was written."""
    log = RepairLog(path)
    log(result_of(RIGHT, MENDED, REFUSED))
    mended, refused = log.records()
    assert (mended.outcome, mended.tool, mended.id, mended.kind) == ("mended", "pay", "c1", None)
    assert [(repair.rule, repair.path) for repair in mended.repairs] == [("numeric-text", ("amount",))]
    assert (refused.outcome, refused.id, refused.kind) == ("refused", "c2", "invalid_arguments")
    assert [(problem.path, problem.expected) for problem in refused.problems] == [(("amount",), "an integer")]


def test_without_contents_nothing_that_a_value_held_is_written(path: pathlib.Path) -> None:
    """They may be secret, and stay out unless somebody says otherwise."""
    RepairLog(path)(result_of('{"amount": "987", "to": "Zoe",}', '{"amount": 98.7, "to": "Zoe"}', '{"amount": 987'))
    written = path.read_text()
    assert written.count("\n") == 3
    assert not any(content in written for content in ("987", "98.7", "Zoe"))


def test_with_contents_a_record_tells_all_that_the_call_or_the_error_does(path: pathlib.Path) -> None:
    """Read again, it is equal in every field."""
    log, result = RepairLog(path, contents=True), result_of(MENDED, REFUSED)
    log(result)
    mended, refused = log.records()
    [call], [error] = result.calls, result.errors
    assert (mended.raw, mended.arguments, mended.repairs) == (call.raw, call.arguments, call.repairs)
    assert (refused.raw, refused.message, refused.problems) == (error.raw, error.message, error.problems)


def test_changes_that_belong_to_no_call_have_a_record_of_their_own(path: pathlib.Path) -> None:
    """A result that the model invented behind its call, say; calls in text tell their place."""
    registry = ToolRegistry([Pay])
    registry.listen(log := RepairLog(path))
    registry.parse_text(f'{{"name": "pay", "arguments": {MENDED}}}\nObservation: paid')
    call, message = log.records()
    assert (call.format, call.span) == ("json", (0, 58))
    assert (message.outcome, message.tool, message.repairs[0].rule) == ("message", None, "invented-result")


def test_labels_are_on_each_record(path: pathlib.Path) -> None:
    """By them a team tells its models apart."""
    log = RepairLog(path, labels={"model": "small"})
    log(result_of(MENDED, REFUSED))
    assert [record.labels for record in log.records()] == [{"model": "small"}] * 2


def test_a_hook_changes_records_or_drops_them(path: pathlib.Path) -> None:
    """What it gives is what is written."""

    def redact(record: RepairRecord) -> RepairRecord | None:
        return replace(record, raw="***", arguments=None, repairs=()) if record.outcome == "mended" else None

    RepairLog(path, contents=True, redact=redact)(result_of(MENDED, REFUSED))
    [record] = read_repair_log(path)
    assert record.raw == "***"
    assert "Ann" not in path.read_text()


def test_a_hook_that_fails_lets_nothing_be_written(path: pathlib.Path) -> None:
    """Nothing that was to be redacted ends in the file, and the mistake is seen."""

    def redact(record: RepairRecord) -> RepairRecord:
        raise KeyError(record.tool)

    with pytest.raises(KeyError, match="pay"):
        RepairLog(path, contents=True, redact=redact)(result_of(MENDED))
    assert path.read_text() == ""


@given(st.text(st.characters(), max_size=30))
def test_any_text_of_a_model_comes_back_from_the_log(text: str) -> None:
    """Line breaks of all kinds and halves of surrogate pairs too; a record is one line of ASCII all the same."""
    from toolmend.toolkit.outcome import CallError
    from toolmend.toolkit.repair_record import from_line, records_of, to_line

    result = ParseResult((CallError("not_json", text, tool=text, raw=text, path=(text, 0)),))
    [record] = records_of(result, contents=True, labels={text: text})
    line = to_line(record)
    assert line.isascii()
    assert "\n" not in line
    assert from_line(line) == record


# ---------------------------------------------------------------------- the file


def test_a_full_file_is_put_aside_and_the_oldest_is_dropped(path: pathlib.Path) -> None:
    """As many are kept as was said; what is left is read in order."""
    log = RepairLog(path, max_bytes=400, keep=2)
    for number in range(20):
        log(ToolRegistry([Pay]).parse_call("pay", MENDED, id=str(number)))
    assert sorted(one.name for one in path.parent.glob("repairs.jsonl*")) == [
        *("repairs.jsonl", "repairs.jsonl.1", "repairs.jsonl.2", "repairs.jsonl.lock")
    ]
    assert all(one.stat().st_size <= 400 for one in path.parent.iterdir())
    ids = [int(record.id or "") for record in log.records()]
    assert ids == list(range(20 - len(ids), 20))
    assert 3 <= len(ids) < 20


def test_no_file_need_be_kept(path: pathlib.Path) -> None:
    """The log begins anew then; a record that is longer than a file has one to itself."""
    log = RepairLog(path, max_bytes=10, keep=0)
    log(result_of(MENDED, REFUSED))
    assert [record.outcome for record in log.records()] == ["refused"]


def test_fewer_files_are_kept_from_now_on(path: pathlib.Path) -> None:
    """Those that are too many go when the next one is put aside; other files of the folder stay."""
    (path.parent / "repairs.jsonl.bak").touch()
    for keep, left in ((4, {"1", "2", "3", "4"}), (2, {"1", "2"})):
        for _ in range(6):
            RepairLog(path, max_bytes=10, keep=keep)(result_of(MENDED))
        assert {one.suffix[1:] for one in path.parent.glob("repairs.jsonl.*")} == {*left, "bak", "lock"}


@pytest.mark.parametrize("cut", [1, 9, 14, 60])
def test_half_a_line_at_the_end_is_passed_over(path: pathlib.Path, cut: int) -> None:
    """A crash may leave it; the next record begins on a line of its own."""
    log = RepairLog(path)
    log(result_of(MENDED, REFUSED))
    whole = path.read_bytes()
    second = whole.index(b"\n") + 1
    path.write_bytes(whole[: second + cut])
    assert [record.outcome for record in log.records()] == ["mended"]
    log(result_of(REFUSED))
    assert [record.outcome for record in log.records()] == ["mended", "refused"]


def test_a_line_that_lacks_only_its_end_is_whole(path: pathlib.Path) -> None:
    """It says all that there is to say."""
    log = RepairLog(path)
    log(result_of(MENDED))
    path.write_bytes(path.read_bytes()[:-1])
    assert len(list(log.records())) == 1
    log(result_of(REFUSED))
    assert [record.outcome for record in log.records()] == ["mended", "refused"]


def test_threads_share_a_log(path: pathlib.Path) -> None:
    """Each record is there once and whole, also where files are put aside meanwhile."""
    threads = [
        threading.Thread(target=log_writer.write, args=(str(path), str(number), 40, 20_000)) for number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_each_record_is_there_once(path, writers=4, count=40)


def test_processes_share_a_log(path: pathlib.Path) -> None:
    """And a reader that comes in between always finds whole records."""
    RepairLog(path)
    command = [sys.executable, "-P", log_writer.__file__, str(path)]
    processes = [subprocess.Popen([*command, str(number), "60", "20000"]) for number in range(3)]
    counts = [0]
    while any(process.poll() is None for process in processes):
        counts.append(sum(1 for _ in read_repair_log(path)))
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert counts == sorted(counts)
    assert_each_record_is_there_once(path, writers=3, count=60)


def assert_each_record_is_there_once(path: pathlib.Path, *, writers: int, count: int) -> None:
    """And the records of each writer are in order."""
    found: dict[str, list[int]] = {}
    for record in read_repair_log(path):
        found.setdefault(record.labels["writer"], []).append(int(record.id or ""))
    assert found == {str(writer): list(range(count)) for writer in range(writers)}
    assert len(list(path.parent.glob("repairs.jsonl.*"))) > 2


def test_a_disk_that_is_full_breaks_no_call(
    path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The record is lost, and that is logged."""
    registry = ToolRegistry([Pay])
    registry.listen(RepairLog(path))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("toolmend.toolkit.repair_log.append_line", full)
    with caplog.at_level(logging.ERROR):
        assert registry.parse_call("pay", MENDED).calls
    assert f"a record of the repair log {path} is lost" in caplog.text
    assert "No space left" in caplog.text


# ---------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"contents": "yes"}, "contents: True or False is needed, got 'yes'"),
        ({"redact": "***"}, "redact: a function of one record is needed"),
        ({"labels": {"model": 7}}, "labels: texts by name is needed"),
        ({"max_bytes": 0}, "max_bytes: a whole number above 0 is needed, got 0"),
        ({"keep": True}, "keep: a whole number up to 1000 is needed, got True"),
        ({"keep": -1}, "keep: .* got -1"),
    ],
)
def test_settings_that_cannot_work_are_refused(path: pathlib.Path, settings: dict[str, Any], told: str) -> None:
    """By their names, before anything is written."""
    with pytest.raises(ToolUsageError, match=told):
        RepairLog(path, **settings)
    assert not path.exists()


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path: pathlib.Path) -> None:
    """Not at the first fault of a model, days later."""
    with pytest.raises(ToolUsageError, match=r"the repair log .*nowhere.log\.jsonl cannot be written"):
        RepairLog(tmp_path / "nowhere" / "log.jsonl")


def test_a_file_that_is_not_there_is_no_empty_log(path: pathlib.Path) -> None:
    """A wrong path is told; a log in which nothing was written yet is empty."""
    with pytest.raises(ToolUsageError, match=r"repairs\.jsonl cannot be read"):
        list(read_repair_log(path))
    assert list(RepairLog(path).records()) == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("name,age", "line 2 of .*repairs.jsonl is none of a repair log"),
        ('{"version": 2, "time": "2026-01-01"}', "no record of version 1 but of version 2; a later toolmend"),
        ('{"level": "info"}', "no record of version 1"),
        ("[]", "no record of version 1"),
        ('{"version": 1}', "no record: 'time'"),
        ('{"version": 1, "time": "noon", "outcome": "mended"}', "cannot be read: .*noon"),
        ('{"version": 1, "time": "2026-01-01", "outcome": "mended", "colour": 1}', "no record: .*colour"),
        ('{"version": 1, "time": "2026-01-01", "outcome": "mended", "repairs": [{"path": []}]}', "no record: .*rule"),
    ],
)
def test_a_line_that_is_no_record_is_told_with_its_place(path: pathlib.Path, line: str, told: str) -> None:
    """Only what a crash can have left is passed over."""
    log = RepairLog(path)
    log(result_of(MENDED))
    with path.open("a", encoding="ascii") as file:
        file.write(line + "\n")
    with pytest.raises(ToolUsageError, match=told):
        list(log.records())


def test_a_copy_of_a_log_is_read_without_its_lock(path: pathlib.Path) -> None:
    """Nobody writes to it, and its folder may be one in which nothing can be made."""
    RepairLog(path)(result_of(MENDED))
    (path.parent / "repairs.jsonl.lock").unlink()
    assert len(list(read_repair_log(path))) == 1
    assert not (path.parent / "repairs.jsonl.lock").exists()
