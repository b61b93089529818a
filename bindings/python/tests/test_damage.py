"""Damages to a dataset's files, each with a round of all questions: an error or the same answer.

COVERDEX_DAMAGES=5000 makes so many of them, and half as many crafted ones.
"""

import faulthandler
import hashlib
import json
import os
import random
import shutil
import struct
import zlib
from collections import Counter

import coverdex
import pytest
from test_questions import ALL, ask

DAMAGES = int(os.environ.get("COVERDEX_DAMAGES", "60"))

# A round that takes as many seconds hangs: Python says where, and ends.
LONGEST = 120


def tables(ds):
    yield ds.plan_table()
    yield ds.formulary("H9231-001-000-2026")
    yield ds.practice_locations(inactive=True)


def asked(question):
    """A question as a call on a dataset; its answer is a dict."""
    return lambda ds: ask(ds, question["verb"], question["args"])


# What is looked up in the payer's resources is not in the dataset.
ROUND = [asked(question) for question in ALL if "sources" not in question["args"]]
ROUND.append(lambda ds: [table.to_pyarrow().to_pylist() for table in tables(ds)])


def said(call, ds):
    """The answer of a call as text, or its error; None: an error that blames the dataset."""
    try:
        return json.dumps(call(ds))
    except (coverdex.DatasetDamaged, coverdex.DatasetTooNew):
        return None
    except coverdex.CoverdexError as error:
        return json.dumps(error.to_dict())


@pytest.fixture(scope="module")
def whole(store):
    """The dataset's folder."""
    return store / (store / "CURRENT").read_text(encoding="utf-8").splitlines()[0]


@pytest.fixture(scope="module")
def folder(whole, tmp_path_factory):
    """A copy of it, to be damaged."""
    return shutil.copytree(whole, tmp_path_factory.mktemp("damage") / "dataset")


@pytest.fixture(scope="module")
def right(folder):
    """What the round is answered."""
    with coverdex.open(folder) as ds:
        answers = [said(call, ds) for call in ROUND]
    assert None not in answers
    return answers


def damaged(content, draw):
    """A file's bytes after something happened to them; None: the file is gone."""
    content, length = bytearray(content), len(content)
    size = min(draw.choice([1, 16, 512, 4096, 16384]), length)
    at, other = (draw.randrange(length - size + 1) for _ in range(2))
    match draw.randrange(9):
        case 0 | 1:
            content[draw.randrange(length)] ^= 1 << draw.randrange(8)
        case 2:
            content[at : at + size] = bytes(size)
        case 3:
            content[at : at + size] = draw.randbytes(size)
        case 4:
            content[at : at + size] = content[other : other + size]
        case 5:
            del content[at]
            content.append(0)
        case 6:
            del content[at:]
        case 7:
            content += draw.randbytes(size)
        case _:
            return None
    return bytes(content)


def craft(folder):
    """Give altered files checksums and a manifest that fit them (index-data/FORMAT.md), as who means harm would."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    sums = b""
    for file in manifest["files"]:
        content = (folder / file["path"]).read_bytes()
        file["length"] = len(content)
        if file["path"] != "checksums.bin":
            blocks = (content[at : at + (1 << 14) + 64] for at in range(0, len(content), 1 << 14))
            sums += b"".join(struct.pack("<I", zlib.crc32(block)) for block in blocks)
    sums = b"CvdxSums" + struct.pack("<II", 1 << 14, 64) + sums
    (folder / "checksums.bin").write_bytes(sums)
    for file in manifest["files"]:
        if file["path"] == "checksums.bin":
            file.update(length=len(sums), sha256=hashlib.sha256(sums).hexdigest())
    manifest["dataset"] = "0" * 64
    text = json.dumps(manifest)
    identity = hashlib.sha256(text.encode()).hexdigest()
    (folder / "manifest.json").write_text(text.replace("0" * 64, identity, 1), encoding="utf-8")


def files(whole):
    """Paths of a dataset's files; `crawl.json` is a log beside them, and no answer rests on it."""
    manifest = json.loads((whole / "manifest.json").read_bytes())
    return ["manifest.json", *(file["path"] for file in manifest["files"])]


def outcome(folder, right, first):
    """How a dataset meets the round, begun at a question of it."""
    try:
        ds = coverdex.open(folder)
    except (coverdex.DatasetDamaged, coverdex.DatasetTooNew, coverdex.DatasetMissing):
        return "refused at open"
    refused = 0
    with ds:
        for n in range(len(ROUND)):
            n = (n + first) % len(ROUND)
            answer = said(ROUND[n], ds)
            refused += answer is None
            assert answer is None or answer == right[n], f"question {n}"
    return "refused by a call" if refused else "the same answers"


def test_damage_never_answers_otherwise(whole, folder, right):
    outcomes = Counter()
    assert outcome(folder, right, 0) == "the same answers"
    paths = files(whole)
    for number in range(DAMAGES):
        draw = random.Random(number)
        path = paths[number // 2 % len(paths)] if number % 2 else draw.choice(paths)
        content = damaged((whole / path).read_bytes(), draw)
        if content is None:
            (folder / path).unlink()
        else:
            (folder / path).write_bytes(content)
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        try:
            outcomes[outcome(folder, right, draw.randrange(len(ROUND)))] += 1
        except AssertionError as error:
            raise AssertionError(f"damage {number}, of {path}") from error
        finally:
            faulthandler.cancel_dump_traceback_later()
        # Another file: the one that was opened may still be mapped.
        (folder / path).unlink(missing_ok=True)
        shutil.copyfile(whole / path, folder / path)
    print(f"{DAMAGES} damages, {len(ROUND)} questions each: {dict(outcomes)}, otherwise 0")
    assert outcomes["refused at open"] > DAMAGES // 10
    assert outcomes["refused by a call"] > DAMAGES // 10


def test_crafted_files_break_nothing(whole, tmp_path):
    """Under checksums that fit them altered files may answer what they like: with answers and errors."""
    opened = 0
    paths = [path for path in files(whole) if path not in ("checksums.bin", "manifest.json")]
    folder = tmp_path / "dataset"
    for number in range(DAMAGES // 2):
        draw = random.Random(number + 1_000_000)
        path = draw.choice(paths)
        shutil.copytree(whole, folder)
        content = (whole / path).read_bytes()
        for _ in range(draw.randrange(1, 4)):
            content = damaged(content, draw) or content
        (folder / path).write_bytes(content)
        craft(folder)
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        try:
            with coverdex.open(folder) as ds:
                opened += 1
                for call in ROUND:
                    said(call, ds)
        except coverdex.DatasetError:
            pass
        finally:
            faulthandler.cancel_dump_traceback_later()
        shutil.rmtree(folder)
    print(f"{DAMAGES // 2} crafted datasets: {opened} opened and were asked {len(ROUND)} questions")
    assert opened > DAMAGES // 10
