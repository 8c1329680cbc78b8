"""A server whose language model is known in closed form, and which misbehaves on request.

ln P(token | text before) is −1 where the two words follow each other in a sentence that it knows, else −5; ``lean``
adds to that. The tokenizer splits before spaces and marks, and every token has an id. It speaks the dialects of OpenAI
(with ``echo``), vLLM and llama.cpp; ``faults`` are functions that change, delay or break an answer.
"""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise

from biascheck.models.served.handshake import TEXT_PROBES

OPENING = "<|endoftext|>"
TOKEN = re.compile(r"<\|\w+\|>| ?\w+| ?[^\w\s]|\s")
KNOWN, UNKNOWN = -1.0, -5.0
SCORING = ("/completions", "/completion")
SENTENCES = (
    *(sentence for sentence, _ in TEXT_PROBES),
    "The weather is nice today.",
    "He works as a worker. She works as a worker. he wants to become a worker.",
    "She, the worker, had a good day at work.",
    "my brother works as a worker. my sister wants to become a worker. my uncle, the worker, had a good day at work.",
)
Fault = Callable[["Request"], None]


def tokens_of(text):
    return TOKEN.findall(text)


def pairs_of(text):
    words = [token.strip().lower() for token in tokens_of(text)]
    return set(pairwise(words))


class Request:
    """One request and its answer; a fault may change both, or take over."""

    def __init__(self, handler, path, body, number):
        self.handler, self.path, self.body, self.number = handler, path, body, number
        self.headers = dict(handler.headers)
        self.status, self.answer, self.sent = 200, None, False
        self.extra_headers = {}
        self.raw = None


class PretendServer:
    """``with PretendServer(dialect="openai") as server: server.spec``."""

    def __init__(self, dialect="openai", *, lean=lambda _before, _token: 0.0, names=("pretend",), opens=False):
        self.dialect, self.lean, self.names, self.opens = dialect, lean, names, opens
        self.faults: list[Fault] = []
        self.asked = Counter()
        self.prompts: list[str] = []
        self.answered = Counter()
        self.seen_headers: list[dict] = []
        self.ids: dict[str, int] = {OPENING: 0}
        self.known = set().union(*map(pairs_of, SENTENCES))
        self.echo = self.grammar = True
        self._lock = threading.Lock()
        self._server = None
        self._port = 0

    # the language model

    def figure(self, before, token):
        last = before[-1].strip().lower() if before else ""
        follows = (last, token.strip().lower()) in self.known
        return (KNOWN if follows else UNKNOWN) + self.lean(before, token)

    def figures(self, tokens, start=1):
        return [self.figure(tokens[:place], tokens[place]) for place in range(start, len(tokens))]

    def likelihood(self, text):
        """What a right answer is."""
        return sum(self.figures([OPENING, *tokens_of(text)]))

    def id_of(self, token):
        with self._lock:
            return self.ids.setdefault(token, len(self.ids))

    def token_of(self, number):
        return next(token for token, known in self.ids.items() if known == number)

    # life

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def start(self):
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16  # headers and body in one packet: two would wait for each other

            def log_message(self, *_):
                pass

            def do_GET(self):
                server.serve(self, None)

            def do_POST(self):
                server.serve(self, json.loads(self.rfile.read(int(self.headers["content-length"]))))

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *_):
                pass  # a connection that a fault has cut

        self._server = Server(("127.0.0.1", self._port), Handler)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._port}"

    @property
    def spec(self):
        return f"{self.dialect}:{self.url}/v1#{self.names[0]}"

    # what was asked

    def text_in(self, request):
        """The text that a request is about."""
        given = request.body["prompt"]
        forced = map(int, re.findall(r"<\[(\d+)\]>", request.body.get("grammar", "")))
        return given if isinstance(given, str) else "".join(map(self.token_of, [*given, *forced]))

    def texts_of_handshake(self):
        """What a handshake asks about."""
        from biascheck.models.served.model import load_served

        load_served(self.spec, cache_answers=False)
        texts = set(self.answered)
        self.answered.clear()
        return texts

    # requests

    def serve(self, handler, body):
        path = handler.path.removeprefix("/v1")
        with self._lock:
            self.asked[path] += 1
            request = Request(handler, path, body, sum(self.asked.values()))
            self.seen_headers.append(request.headers)
        answer = getattr(self, "on_" + path.strip("/").replace("/", "_").replace("-", "_"), None)
        if answer is None:
            request.status, request.answer = 404, {"error": {"message": "no such route"}}
        else:
            answer(request)
        for fault in self.faults:
            fault(request)
        if path in SCORING and request.status == 200 and not request.sent:
            with self._lock:
                self.answered[self.text_in(request)] += 1
        self.send(request)

    def send(self, request):
        if request.sent:
            return
        content = json.dumps(request.answer).encode() if request.raw is None else request.raw
        with suppress(OSError):
            request.handler.send_response(request.status)
            for name, value in {"content-type": "application/json", **request.extra_headers}.items():
                request.handler.send_header(name, value)
            request.handler.send_header("content-length", str(len(content)))
            request.handler.end_headers()
            request.handler.wfile.write(content)

    def on_models(self, request):
        owner = {"openai": "someone"}.get(self.dialect, self.dialect)
        listed = [{"id": name, "object": "model", "created": request.number, "owned_by": owner} for name in self.names]
        request.answer = {"object": "list", "data": listed}

    def on_version(self, request):
        request.answer = {"version": "0.0"}

    def on_props(self, request):
        request.answer = {
            "bos_token": OPENING,
            "eos_token": OPENING,
            "chat_template": "",
            "model_ftype": "Q8_0",
            "build_info": "b1",
            "total_slots": 2,
            "default_generation_settings": {"n_ctx": 64},
        }

    def on_tokenize(self, request):
        if "messages" in request.body:
            request.status, request.answer = 400, {"message": "this model has no chat template"}
            return
        tokens = tokens_of(request.body.get("prompt", request.body.get("content")))
        request.answer = {"tokens": [self.id_of(token) for token in tokens], "count": len(tokens), "max_model_len": 64}

    def on_detokenize(self, request):
        text = "".join(map(self.token_of, request.body["tokens"]))
        request.answer = {"prompt": text, "content": text}

    def on_completions(self, request):
        body = request.body
        given = body["prompt"]
        tokens = tokens_of(given) if isinstance(given, str) else [self.token_of(number) for number in given]
        if isinstance(given, str):
            self.prompts.append(given)
        numbers = [None, *self.figures(tokens)]
        if self.opens and isinstance(given, str):
            tokens, numbers = ["<s>", *tokens], [None, *self.figures(["<s>", *tokens])]
        made = [" and"] * body.get("max_tokens", 0)
        shown = (tokens if body.get("echo") and self.echo else []) + made
        shown_numbers = (numbers if body.get("echo") and self.echo else []) + [UNKNOWN] * len(made)
        choice = {"text": "".join(shown), "index": 0}
        choice["logprobs"] = {"tokens": shown, "token_logprobs": shown_numbers}
        if "prompt_logprobs" in body and self.dialect == "vllm":
            choice["prompt_logprobs"] = [
                None if number is None else {str(self.id_of(token)): {"logprob": number, "decoded_token": token}}
                for token, number in zip(tokens, numbers, strict=True)
            ]
        request.answer = {"choices": [choice], "usage": {"prompt_tokens": len(tokens)}}

    def on_completion(self, request):
        """llama.cpp's own route."""
        body = request.body
        before = [self.token_of(number) for number in body["prompt"]]
        if "grammar" in body and not self.grammar:
            request.status, request.answer = 400, {"error": {"message": "Failed to parse grammar"}}
            return
        wanted = [int(number) for number in re.findall(r"<\[(\d+)\]>", body.get("grammar", ""))]
        wanted = wanted or [number for number, bias in body.get("logit_bias", []) if bias > 0]
        likely = sorted(self.ids, key=lambda token: -self.figure(before, token))
        entries, text = [], ""
        for number in wanted or [self.ids[likely[0]]]:
            token = self.token_of(number)
            entries.append({"id": number, "token": token, "logprob": self.figure(before, token)})
            entries[-1]["top_logprobs"] = [
                {"id": self.ids[one], "token": one, "logprob": self.figure(before, one)}
                for one in likely[: body["n_probs"]]
            ]
            before, text = [*before, token], text + token
        request.answer = {"content": text, "completion_probabilities": entries}

    def on_apply_template(self, request):
        said = request.body["messages"][0]["content"]
        request.answer = {"prompt": f"{OPENING}user: {said}{OPENING}"}

    def on_chat_completions(self, request):
        request.answer = {"choices": [{"message": {"role": "assistant", "content": "Hello."}}]}
