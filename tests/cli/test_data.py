"""Published data sets come from a server that a test runs itself; nothing leaves the machine."""

import gzip
import re
import threading
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from typer.testing import CliRunner

from biascheck import corpora
from biascheck.cli.app import app
from biascheck.core.errors import BiascheckError, DataNotFoundError, UsageError
from biascheck.corpora import published as downloads
from biascheck.corpora.published import DataSet, PublishedFile, data_set, data_sets


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments):
        pass


@pytest.fixture
def server(shared_data, tmp_path):
    """The published files, unpacked, on the loopback interface; gives the address and the folder served."""
    served = tmp_path / "served"
    for name in ("crows_pairs", "bbq", "winogender"):
        (served / name).mkdir(parents=True)
        for file in (path for path in (shared_data / name).iterdir() if path.is_file()):
            content = file.read_bytes()
            plain = gzip.decompress(content) if file.suffix == ".gz" else content
            (served / name / file.name.removesuffix(".gz")).write_bytes(plain)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(served))) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}/{{set}}/{{name}}", served
        listening.shutdown()


def run(*arguments, **options):
    return CliRunner().invoke(app, ["data", *map(str, arguments)], **options)


def test_the_list_names_licence_and_source():
    found = run("list")
    assert found.exit_code == 0
    for one in data_sets():
        (line,) = [line for line in found.output.splitlines() if line.split()[0] == one.name]
        assert one.licence in line
        assert one.commit in line


def test_addresses_are_pinned_to_a_commit():
    crows = data_set("crows_pairs")
    assert crows.address(crows.files[0]) == (
        "https://raw.githubusercontent.com/nyu-mll/crows-pairs/8aaac11/data/crows_pairs_anonymized.csv"
    )
    elsewhere = data_set("discrim_eval")
    assert elsewhere.address(elsewhere.files[0]) == (
        "https://huggingface.co/datasets/Anthropic/discrim-eval/resolve/main/explicit.jsonl"
    )
    with pytest.raises(UsageError, match="there are: "):
        data_set("nothing")


@pytest.mark.parametrize("one", data_sets(), ids=lambda one: one.name)
def test_every_file_has_a_whole_address_a_digest_and_a_size(one):
    """A commit of the source, or a data set whose digest alone pins it: only discrim-eval."""
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", one.source)
    assert re.fullmatch(r"[0-9a-f]{7,40}", one.commit) or one.name == "discrim_eval"
    assert one.licence
    assert len({file.name for file in one.files}) == len(one.files)
    for file in one.files:
        assert re.fullmatch(r"https://[\w./-]+", one.address(file)), one.address(file)
        assert one.address(file).endswith(f"/{file.name}")
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert file.bytes > 0


def test_a_mirror_replaces_every_address(server, tmp_path):
    """A data set with an address of its own comes from the mirror, too."""
    address, served = server
    one, folder = data_set("discrim_eval"), tmp_path / "data"
    (served / "discrim_eval").mkdir()
    (served / "discrim_eval" / "explicit.jsonl").write_text("not the published one")
    downloads.accept_licence(one, folder)
    with pytest.raises(BiascheckError, match="its digest differs"):
        downloads.fetch(one, folder, mirror=address)


def test_a_data_set_is_fetched_once_its_licence_is_accepted_and_then_loads(server, tmp_path):
    address, _ = server
    folder = tmp_path / "data"
    refused = run("fetch", "crows_pairs", "--to", folder, "--mirror", address, input="n\n")
    assert isinstance(refused.exception, UsageError)
    assert "Licence: CC BY-SA 4.0" in refused.output
    assert not (folder / "crows_pairs").exists()
    fetched = run("fetch", "crows_pairs", "winogender", "--to", folder, "--mirror", address, "--accept-licence")
    assert fetched.exit_code == 0, fetched.output
    assert len(corpora.published_preferences(folder)) == 1508
    assert len(corpora.published_winogender(folder).corpus) == 240
    again = run("fetch", "crows_pairs", "--to", folder, "--mirror", address)
    assert again.exit_code == 0
    assert "http" not in again.output, "what is there is not asked for again, nor is its licence"
    assert "Licence" not in again.output


def test_verify_finds_missing_and_changed_files(server, tmp_path, shared_data):
    address, _ = server
    folder = tmp_path / "data"
    run("fetch", "winogender", "--to", folder, "--mirror", address, "--accept-licence")
    assert run("verify", "--to", folder).stdout == "winogender: 2 of 2 files are as published\n"
    (folder / "winogender" / "templates.tsv").write_text("other")
    changed = run("verify", "--to", folder)
    assert (changed.exit_code, "changed: winogender/templates.tsv" in changed.output) == (1, True)
    missing = run("verify", "bbq", "--to", folder)
    assert (missing.exit_code, "missing: bbq/Age.jsonl" in missing.output) == (1, True)
    packed = [state.state for state in downloads.verify(data_set("bbq"), shared_data)]
    assert packed == ["as published"] * 8, "gzipped copies count by their content"


def test_another_file_at_the_address_is_not_kept(server, tmp_path):
    address, served = server
    (served / "winogender" / "templates.tsv").write_text("something else")
    one, folder = data_set("winogender"), tmp_path / "data"
    downloads.accept_licence(one, folder)
    with pytest.raises(BiascheckError, match="its digest differs"):
        downloads.fetch(one, folder, mirror=address)
    assert not (folder / "winogender" / "templates.tsv").exists()


def test_an_address_that_cannot_be_reached_says_what_to_do(server, tmp_path):
    address, served = server
    (served / "winogender" / "templates.tsv").unlink()
    one, folder = data_set("winogender"), tmp_path / "data"
    with pytest.raises(UsageError, match="accept it first"):
        downloads.fetch(one, folder, mirror=address)
    downloads.accept_licence(one, folder)
    with pytest.raises(DataNotFoundError, match="by hand"):
        downloads.fetch(one, folder, mirror=address)


CONTENT = bytes(range(256)) * 1000
ONE = DataSet(
    "mine", "A set of one file", "me/mine", "abc1234", "MIT",
    (PublishedFile("a.bin", "data/a.bin", sha256(CONTENT).hexdigest(), len(CONTENT)),),
)  # fmt: skip


class Answers(BaseHTTPRequestHandler):
    """The same file in several ways, by the first part of the path."""

    def do_GET(self):
        getattr(self, self.path.split("/")[1])()

    def send(self, content, status=200, length=None, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(content) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def plain(self):
        self.send(CONTENT)

    def moved(self):
        self.send(b"", 302, Location="/plain/mine/a.bin")

    def astray(self):
        self.send(b"", 302, Location="/astray/mine/a.bin")

    def packed(self):
        self.send(gzip.compress(CONTENT), Content_Encoding="gzip")

    def longer(self):
        self.send(CONTENT + b"and more")

    def shorter(self):
        self.send(CONTENT[:-1])

    def changed(self):
        self.send(CONTENT[::-1])

    def torn(self):
        self.send(CONTENT[:1000], length=len(CONTENT))
        self.close_connection = True

    def broken(self):
        self.send(b"sorry", 503)

    def log_message(self, *_arguments):
        pass


@pytest.fixture
def answers():
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield lambda way: f"http://127.0.0.1:{listening.server_port}/{way}/{{set}}/{{name}}"
        listening.shutdown()


@pytest.fixture
def folder(tmp_path):
    downloads.accept_licence(ONE, tmp_path)
    return tmp_path


@pytest.mark.parametrize("way", ["plain", "moved", "packed"])
def test_a_file_arrives_whole_with_every_byte_reported(answers, folder, way):
    said, received = [], []
    found = downloads.fetch(ONE, folder, mirror=answers(way), tell=said.append, advance=received.append)
    assert [path.read_bytes() for path in found] == [CONTENT]
    assert sum(received) == len(CONTENT)
    assert said == [f"mine/a.bin: {ONE.address(ONE.files[0], answers(way))}"]
    downloads.fetch(ONE, folder, mirror=answers("broken"))  # it is there, and nobody is asked


@pytest.mark.parametrize(
    ("way", "error", "message"),
    [
        ("longer", BiascheckError, "it is larger than 256,000 bytes. It was not stored"),
        ("shorter", BiascheckError, "its digest differs. It was not stored"),
        ("changed", BiascheckError, "its digest differs. It was not stored"),
        ("torn", DataNotFoundError, "cannot be downloaded .*; check the network, or put the file into .* by hand"),
        ("broken", DataNotFoundError, "cannot be downloaded .*503 Service Unavailable.*by hand"),
        ("astray", DataNotFoundError, "cannot be downloaded .*redirects.*by hand"),
    ],
)
def test_what_is_not_the_published_file_leaves_nothing_behind(answers, folder, way, error, message):
    with pytest.raises(error, match=message):
        downloads.fetch(ONE, folder, mirror=answers(way))
    assert list((folder / "mine").iterdir()) == []


@pytest.mark.parametrize("mirror", ["http://127.0.0.1:1/{name}", "nowhere/{name}", "http://[/{name}"])
def test_an_address_that_is_none_says_what_to_do(folder, mirror):
    with pytest.raises(DataNotFoundError, match=r"cannot be downloaded .*by hand"):
        downloads.fetch(ONE, folder, mirror=mirror)


def test_a_changed_file_stays_until_the_published_one_is_there(answers, folder):
    (folder / "mine").mkdir()
    (folder / "mine" / "a.bin").write_bytes(b"mine")
    with pytest.raises(BiascheckError, match="its digest differs"):
        downloads.fetch(ONE, folder, mirror=answers("changed"))
    assert (folder / "mine" / "a.bin").read_bytes() == b"mine"
    downloads.fetch(ONE, folder, mirror=answers("plain"))
    assert (folder / "mine" / "a.bin").read_bytes() == CONTENT


def test_a_folder_that_cannot_be_written_is_named(answers, folder):
    (folder / "mine").write_text("a file where the folder would be")
    with pytest.raises(BiascheckError, match=r"a\.bin cannot be written .*choose another folder"):
        downloads.fetch(ONE, folder, mirror=answers("plain"))


def test_all_shared_files_are_the_published_ones(shared_data):
    for one in data_sets():
        assert {state.state for state in downloads.verify(one, shared_data)} == {"as published"}, one.name
